import type { Clock } from "../clock.ts";
import { type Call, currentTrail, type Measure, onTrail } from "../trail.ts";
import { statusLabel } from "./status-label.ts";

type Called<To extends string> = (call: Call<To>, ended: { readonly status: string; readonly seconds: number }) => void;

/** Measures calls, each as a step of whatever makes it. `named` gives a call a name of a closed list. */
export function measuring<To extends string>(
  clock: Pick<Clock, "elapsedMs">,
  named: (call: Call<To>) => Call<To>,
  called: Called<To> = () => undefined,
): Measure<To> {
  return async (asked, work, statusOf) => {
    const call = named(asked);
    const begun = currentTrail()?.begin(`${call.to} ${call.name}`, true);
    const startedAt = clock.elapsedMs();
    const over = (status: string): void => {
      called(call, { status, seconds: (clock.elapsedMs() - startedAt) / 1_000 });
      begun?.end({ status });
    };
    try {
      const value = await (begun === undefined ? work() : onTrail(begun.trail, work));
      over(statusLabel(statusOf({ value })));
      return value;
    } catch (error) {
      over(statusLabel(statusOf({ error })));
      throw error;
    }
  };
}
