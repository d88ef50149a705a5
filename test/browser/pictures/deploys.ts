import type { Service } from "../../../src/api/answers.ts";
import { service, shop, type Shop } from "./shop.ts";

const at = (time: string): string => `2026-11-${time}:00Z`;

const env = [
  { name: "LOG_LEVEL", value: "info" },
  { name: "DATABASE_URL", value: "postgres://shop:hunter2@db/shop" },
];

const before = service("payments", {
  target_instance_size: 3,
  containers: [{ name: "payments", image: "shop/payments:1.4", env }],
  revision: 7,
  revisions: [
    { revision: 7, images: ["shop/payments:1.4"], created_at: at("18T14:02"), outcome: "done" },
    { revision: 6, images: ["shop/payments:1.3.1"], created_at: at("17T16:40"), outcome: "aborted" },
    { revision: 5, images: ["shop/payments:1.3"], created_at: at("12T08:15"), outcome: "done" },
  ],
});

const after: Service = {
  ...before,
  containers: [{ name: "payments", image: "shop/payments:1.5", env }],
  revision: 8,
  revisions: [{ revision: 8, images: ["shop/payments:1.5"], created_at: at("20T09:40") }, ...(before.revisions ?? [])],
};

const rollout = { from: 7, to: 8, target: 3 };
const message = "payments-0 can't be started: the registry has no image shop/payments:1.5";

/** How a deploy of payments 1.5 goes. */
const ways = {
  underWay: {
    status: "Updating",
    rollout: { ...rollout, state: "progressing", updated: 2, ready: 1, old_ready: 2 },
  },
  stuck: {
    status: "Failed",
    message,
    rollout: { ...rollout, state: "stuck", updated: 1, ready: 0, old_ready: 3, message },
  },
  done: { rollout: { ...rollout, state: "done", updated: 3, ready: 3, old_ready: 0 } },
} as const satisfies Readonly<Record<string, Partial<Service>>>;

/** A workload API that keeps revisions: from the first write on, payments is on this way to 1.5. */
export function deployShop(way: keyof typeof ways): Shop {
  const state = shop([before]);
  return {
    ...state,
    async fetch(request) {
      if (new URL(request.url).pathname.endsWith("/healthz")) {
        return Response.json({ engine: { title: "Docker", regions: [], updates: ["image", "env", "revision"] } });
      }
      const answer = await state.fetch(request);
      if (request.method === "PUT") state.services.set("payments", { ...after, ...ways[way] });
      return answer;
    },
  };
}
