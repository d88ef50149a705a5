import type { PlainService as Service } from "../../support/as-read.ts";
import { service, shop, type Shop } from "./shop.ts";

const at = (time: string): string => `2026-11-${time}:00Z`;

const env = [
  { name: "LOG_LEVEL", value: "info" },
  { name: "DATABASE_URL", value: "postgres://shop:hunter2@db/shop" },
];

const digest = (word: string): string => `sha256:${word.padEnd(64, "0")}`;

const runs = (image: string, word?: string): Pick<Service, "containers"> => ({
  containers: [{ name: "payments", image, env, ...(word !== undefined && { image_digest: digest(word) }) }],
});

const before = service("payments", {
  target_instance_size: 3,
  ...runs("shop/payments:1.4", "3f2a9c1d5b6e"),
  revision: 7,
  revisions: [
    { revision: 7, images: ["shop/payments:1.4"], created_at: at("18T14:02"), outcome: "done" },
    { revision: 6, images: ["shop/payments:1.3.1"], created_at: at("17T16:40"), outcome: "aborted" },
    {
      revision: 5,
      images: ["shop/payments:1.3"],
      image_digests: [digest("c07d4e8f1b23")],
      created_at: at("12T08:15"),
      outcome: "done",
    },
  ],
});

const after: Service = {
  ...before,
  ...runs("shop/payments:1.5"),
  revision: 8,
  revisions: [
    { revision: 8, images: ["shop/payments:1.5"], created_at: at("20T09:40") },
    ...(before.revisions ?? []).map((each) =>
      each.revision === 7 ? { ...each, image_digests: [digest("3f2a9c1d5b6e")] } : each,
    ),
  ],
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
  done: {
    ...runs("shop/payments:1.5", "91be02d4a7c8"),
    rollout: { ...rollout, state: "done", updated: 3, ready: 3, old_ready: 0 },
  },
} as const satisfies Readonly<Record<string, Partial<Service>>>;

const healthz = { engine: { title: "Docker", regions: [], updates: ["image", "env", "revision"] } };

/** A workload API that keeps revisions: from the first write on, payments is on this way to 1.5. */
export function deployShop(way: keyof typeof ways): Shop {
  const state = shop([before]);
  return {
    ...state,
    async fetch(request) {
      if (new URL(request.url).pathname.endsWith("/healthz")) return Response.json(healthz);
      const answer = await state.fetch(request);
      if (request.method === "PUT") state.services.set("payments", { ...after, ...ways[way] });
      return answer;
    },
  };
}

/** The tag 1.4 was moved: from the first write on, payments runs another image under it. */
export function movedShop(): Shop {
  const state = shop([before]);
  return {
    ...state,
    async fetch(request) {
      if (new URL(request.url).pathname.endsWith("/healthz")) return Response.json(healthz);
      const answer = await state.fetch(request);
      const moved = { ...before, ...runs("shop/payments:1.4", "91be02d4a7c8"), status_since: at("20T09:41") };
      if (request.method !== "GET") state.services.set("payments", moved);
      return answer;
    },
  };
}

const renamed = (each: Service, name: string): Service =>
  JSON.parse(JSON.stringify(each).replaceAll("payments", name)) as Service; // the same with another name

/** Three services: the second one doesn't get ready with 1.5, or not yet. */
export function severalShop(second: "stuck" | "underWay"): Shop {
  const state = shop(["payments", "checkout", "search"].map((name) => renamed(before, name)));
  return {
    ...state,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/healthz")) return Response.json(healthz);
      const answer = await state.fetch(request.clone());
      const name = /\/services\/([^/]+)/u.exec(pathname)?.[1] ?? "";
      if (request.method !== "PUT") return answer;
      const { revision } = (await request.json()) as { readonly revision?: number }; // of a way back
      const way = name === "checkout" && revision === undefined ? ways[second] : ways.done;
      const shown =
        revision === undefined ? { ...after, ...way } : { ...before, rollout: ways.done.rollout, revision: 9 };
      state.services.set(name, renamed(shown, name));
      return answer;
    },
  };
}
