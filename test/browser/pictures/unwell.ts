import type { PlainJob as Job, PlainService as Service } from "../../support/as-read.ts";
import { moment, service, type Shop, shop } from "./shop.ts";

const ago = (minutes: number): string => new Date(moment - minutes * 60_000).toISOString();

const last = (reason: string, exit_code: number, minutes: number) => ({
  reason,
  exit_code,
  finished_at: ago(minutes),
});

/** Kubernetes writes long sentences. */
const noImage =
  'ImagePullBackOff: Back-off pulling image "registry.example.com/shop/recommendations:4.12.0-rc.3": failed to pull and unpack image "registry.example.com/shop/recommendations:4.12.0-rc.3": failed to resolve reference "registry.example.com/shop/recommendations:4.12.0-rc.3": registry.example.com/shop/recommendations:4.12.0-rc.3: not found';
const noNode =
  "Unschedulable: 0/14 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 4 node(s) didn't match Pod's node affinity/selector, 7 Insufficient memory. preemption: 0/14 nodes are available: 7 No preemption victims found for incoming pod, 7 Preemption is not helpful for scheduling.";

const services: readonly Service[] = [
  service("api-gateway", { target_instance_size: 3 }),
  service("checkout", {
    status: "Failed",
    target_instance_size: 1,
    ready_instances: 0,
    restarts: { count: 6, first_at: ago(5), last_at: ago(1) },
    restart_count: 6,
    last_state: last("OOMKilled", 137, 1),
    message: "checkout-7d9f-x2x9p exited with code 137 (out of memory)",
  }),
  service("payments", {
    status: "Failed",
    ready_instances: 0,
    restarts: undefined,
    restart_count: 14,
    last_state: last("Error", 3, 2),
    message: "back-off 5m0s restarting failed container=payments pod=payments-66b8d7c5f4-bq7sz_shop",
  }),
  service("recommendations", { status: "Failed", ready_instances: 0, message: noImage }),
  service("search.index-eu1", { status: "Updating", ready_instances: 1, message: noNode }),
];

const container = { name: "invoices", image: "shop/invoices:2" };

const jobs: readonly Job[] = [
  {
    metadata: { name: "invoices", uid: "uid-invoices", creationTimestamp: ago(26) },
    spec: { completions: 1, template: { spec: { containers: [container] } } },
    status: {
      conditions: [
        {
          type: "Failed",
          status: "True",
          lastTransitionTime: ago(2),
          message: "Job has reached the specified backoff limit",
        },
      ],
    },
    restart_count: 3,
    last_state: last("Error", 2, 2),
  },
];

/** A cluster in which most things are unwell, each in its own way. */
export function unwellShop(): Shop {
  return shop(services, jobs);
}
