import type { Clock } from "../../../platform/clock.ts";
import type { Send } from "../../../platform/http/send.ts";
import type { ExternalFault } from "../../../playground/world.ts";

/** Noticeable, but within the 5 s limit of a read. */
const SLOW_MS = 3_000;

/** Switches that make the workload API slow or unreachable, to try out how the bot behaves. */
export function troubledService(
  send: Send,
  clock: Pick<Clock, "sleep">,
): { readonly send: Send; readonly switches: readonly ExternalFault[] } {
  let isSlow = false;
  let isDown = false;
  return {
    async send(url, outgoing) {
      // Node's error for a port on which nothing listens.
      if (isDown) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      if (isSlow) await clock.sleep(SLOW_MS, outgoing.signal);
      return send(url, outgoing);
    },
    switches: [
      { label: "The workload API is slow (3 s)", set: (on) => (isSlow = on) },
      { label: "The workload API is down", set: (on) => (isDown = on) },
    ],
  };
}
