import { setTimeout as sleep } from "node:timers/promises";
import type { ExternalFault } from "../playground/world.ts";

type Fetch = (request: Request) => Promise<Response>;

/** Long enough to be felt, short enough to be answered: the time limit of a read is 5 s. */
const SLOW_MS = 3_000;

/** The way to the service, with switches that make it slow or cut it: so that a person can see what the bot does then. */
export function troubledService(fetch: Fetch): { readonly fetch: Fetch; readonly switches: readonly ExternalFault[] } {
  let isSlow = false;
  let isDown = false;
  return {
    async fetch(request) {
      if (isDown) throw new TypeError("fetch failed", { cause: refused() });
      if (isSlow) await sleep(SLOW_MS, undefined, { signal: request.signal });
      return fetch(request);
    },
    switches: [
      { label: "The workload API is slow (3 s)", set: (on) => (isSlow = on) },
      { label: "The workload API is down", set: (on) => (isDown = on) },
    ],
  };
}

/** As Node says it of a port on which nothing listens. */
function refused(): Error {
  return Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
}
