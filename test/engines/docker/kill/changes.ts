import type { OperationId } from "../../../../src/api/operations.ts";
import type { NewJob, NewService, Service, ServiceUpdate } from "../../../../src/api/schema.ts";
import type { Reply } from "../../../service/contract/world.ts";
import { listen, shell, ticking } from "../../../support/container-script.ts";
import { TEST_IMAGE } from "../../../support/docker.ts";

/** How a change turned out, by what is there afterwards. */
export type Verdict = "took effect" | "did not" | "half";

/** What is there after a change: the read, and which containers of before are still there. */
export type Seen = { readonly after: Reply; readonly kept: number; readonly before: number };

export type Change = {
  readonly name: string;
  readonly op: OperationId;
  readonly body?: unknown;
  readonly startsWith: "nothing" | "a service" | "two instances" | "a stopped service" | "a job";
  /** At no moment fewer instances run than before. */
  readonly keepsServing?: true;
  readonly verdict: (seen: Seen) => Verdict;
};

export const serviceBody = (instances = 1): NewService => ({
  containers: [{ image: TEST_IMAGE, command: shell(`${listen}; ${ticking}`), resources: { limits: { memory: 256 } } }],
  port_mappings: [{ container_port: 8080 }],
  target_instance_size: instances,
});

/** Long enough to be killed while it runs, and to end while the service is down. */
export const jobBody: NewJob = {
  containers: [{ image: TEST_IMAGE, command: shell("echo one; sleep 1; echo two") }],
};

/** All that is named is as wanted, nothing of it, or some. */
function fields(isNew: (service: Service) => readonly boolean[]) {
  return ({ after: { status, body } }: Seen): Verdict => {
    if (status !== 200) return "half";
    const news = isNew(body as Service); // a read that was answered with 200
    if (news.every(Boolean)) return "took effect";
    return news.some(Boolean) ? "half" : "did not";
  };
}

const isThere = ({ after }: Seen): Verdict => (after.status === 200 ? "took effect" : "did not");
const isGone = ({ after }: Seen): Verdict => (after.status === 200 ? "did not" : "took effect");

/** Other containers run. */
function replaced({ kept, before }: Seen): Verdict {
  if (kept === 0) return "took effect";
  return kept === before ? "did not" : "half";
}

/** Other variables make a revision as another image does, and need none. */
const deployBody: ServiceUpdate = { containers: [{ env: { set: [{ name: "VERSION", value: "2" }] } }] };

/** The newest revision runs on all instances. */
function deployed(seen: Seen): Verdict {
  const { revision, rollout } = seen.after.body as Service; // a read that was answered with 200
  if (revision !== 2) return "did not";
  return rollout?.state === "done" && replaced(seen) === "took effect" ? "took effect" : "half";
}

const sizeIs = (wanted: number) => fields(({ target_instance_size: size }) => [size === wanted]);

export const changes: readonly Change[] = [
  { name: "create", op: "createService", body: serviceBody(2), startsWith: "nothing", verdict: isThere },
  {
    name: "update",
    op: "updateService",
    body: { target_instance_size: 2, containers: [{ resources: { limits: { memory: 512 } } }] },
    startsWith: "a service",
    verdict: fields(({ containers, target_instance_size: size }) => [
      JSON.stringify(containers).includes('"512"'),
      size === 2,
    ]),
  },
  {
    name: "scale up",
    op: "updateService",
    body: { target_instance_size: 3 },
    startsWith: "a service",
    verdict: sizeIs(3),
  },
  {
    name: "scale down",
    op: "updateService",
    body: { target_instance_size: 1 },
    startsWith: "two instances",
    verdict: sizeIs(1),
  },
  { name: "restart", op: "restartService", startsWith: "two instances", verdict: replaced },
  {
    name: "deploy",
    op: "updateService",
    body: deployBody,
    startsWith: "two instances",
    keepsServing: true,
    verdict: deployed,
  },
  {
    name: "stop",
    op: "stopService",
    startsWith: "two instances",
    verdict: fields(({ status }) => [status === "Stopped"]),
  },
  {
    name: "start",
    op: "startService",
    startsWith: "a stopped service",
    verdict: fields(({ status }) => [status !== "Stopped"]),
  },
  { name: "delete", op: "deleteService", startsWith: "two instances", verdict: isGone },
  { name: "create job", op: "createJob", body: jobBody, startsWith: "nothing", verdict: isThere },
  { name: "delete job", op: "deleteJob", startsWith: "a job", verdict: isGone },
];
