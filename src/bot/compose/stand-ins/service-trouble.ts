import { setTimeout as sleep } from "node:timers/promises";
import type { ExternalFault } from "../../../playground/world.ts";

type Fetch = (request: Request) => Promise<Response>;

/** Noticeable, but within the 5 s limit of a read. */
const SLOW_MS = 3_000;

/** A `fetch` with switches that make the workload API slow or unreachable, to try out how the bot behaves. */
export function troubledService(fetch: Fetch): { readonly fetch: Fetch; readonly switches: readonly ExternalFault[] } {
  let isSlow = false;
  let isDown = false;
  return {
    async fetch(request) {
      if (isDown) {
        // Node's error for a port on which nothing listens.
        const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
        throw new TypeError("fetch failed", { cause });
      }
      if (isSlow) await sleep(SLOW_MS, undefined, { signal: request.signal });
      return fetch(request);
    },
    switches: [
      { label: "The workload API is slow (3 s)", set: (on) => (isSlow = on) },
      { label: "The workload API is down", set: (on) => (isDown = on) },
    ],
  };
}
