import type { Point, PointName, When } from "./points.ts";

/** One armed point; whoever comes to it first, after it was passed `passes` times, is killed there. */
export type Trap = {
  /** Resolves when somebody was killed at it. `also`: what has to be so as well. */
  readonly arm: (
    point: Point,
    options?: { readonly passes?: number; readonly isRipe?: () => boolean },
  ) => Promise<void>;
  readonly disarm: () => void;
  readonly armed: () => Point | undefined;
  /** Whether whoever comes here now is to be killed here; asking takes the trap. */
  readonly takes: (name: PointName, when: When) => boolean;
  /** Says that the kill was carried out, or what was done instead of one. */
  readonly sprung: (deed?: "killed" | "frozen") => void;
};

export function createTrap(onKill: (point: Point) => void): Trap {
  let armed: { readonly point: Point; readonly isRipe: () => boolean; passes: number } | undefined;
  let taken: Point | undefined;
  let wake: () => void = () => undefined;
  return {
    arm(point, { passes = 0, isRipe = () => true } = {}) {
      const { promise, resolve } = Promise.withResolvers<void>();
      armed = { point, isRipe, passes };
      wake = resolve;
      return promise;
    },
    disarm: () => void (armed = undefined),
    armed: () => armed?.point,
    takes(name, when) {
      if (armed === undefined || armed.point.name !== name || armed.point.when !== when || !armed.isRipe())
        return false;
      if (armed.passes > 0) {
        armed.passes -= 1;
        return false;
      }
      taken = armed.point;
      armed = undefined;
      return true;
    },
    sprung(deed = "killed") {
      if (taken !== undefined && deed === "killed") onKill(taken);
      taken = undefined;
      wake();
    },
  };
}
