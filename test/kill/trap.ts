import { machineClock } from "../../src/platform/clock.ts";
import { within } from "../../src/platform/waiting.ts";
import type { Point, PointName, When } from "./points.ts";

/** One armed point; whoever comes to it first, after it was passed `passes` times, is killed there. */
export type Trap = {
  /** Resolves when somebody was killed at it. `also`: what has to be so as well. */
  readonly arm: (
    point: Point,
    options?: { readonly passes?: number; readonly isRipe?: () => boolean },
  ) => Promise<void>;
  /** Resolves when a kill that is under way was carried out, so that it belongs to the round that wanted it. */
  readonly disarm: () => Promise<void>;
  readonly armed: () => Point | undefined;
  /** Whether whoever comes here now is to be killed here; asking takes the trap. */
  readonly takes: (name: PointName, when: When) => boolean;
  /** Says that the kill was carried out, or what was done instead of one. */
  readonly sprung: (deed?: "killed" | "frozen") => void;
};

/** A replica that ended meanwhile by itself is never killed. */
const SPRINGS_WITHIN_MS = 5_000;

export function createTrap(onKill: (point: Point) => void): Trap {
  type Armed = { readonly point: Point; readonly isRipe: () => boolean; passes: number } & PromiseWithResolvers<void>;
  let armed: Armed | undefined;
  let taken: Armed | undefined;
  return {
    arm(point, { passes = 0, isRipe = () => true } = {}) {
      armed = { point, isRipe, passes, ...Promise.withResolvers<void>() };
      return armed.promise;
    },
    async disarm() {
      armed = undefined;
      if (taken !== undefined) await within(SPRINGS_WITHIN_MS, taken.promise, () => undefined, machineClock);
      taken = undefined;
    },
    armed: () => armed?.point,
    takes(name, when) {
      if (armed === undefined || armed.point.name !== name || armed.point.when !== when || !armed.isRipe())
        return false;
      if (armed.passes > 0) {
        armed.passes -= 1;
        return false;
      }
      taken = armed;
      armed = undefined;
      return true;
    },
    sprung(deed = "killed") {
      const over = taken;
      taken = undefined;
      if (over !== undefined && deed === "killed") onKill(over.point);
      over?.resolve();
    },
  };
}
