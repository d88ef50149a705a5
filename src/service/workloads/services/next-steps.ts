import type { InstanceState } from "./service-status.ts";

/** An instance, with the fields that `nextSteps` compares. */
export type PresentInstance = {
  readonly index: number;
  readonly generation: number;
  readonly state: InstanceState;
  /** Started from the current definition. */
  readonly isCurrent: boolean;
  /** Its memory is being changed while it runs. */
  readonly isResizing: boolean;
};

export type Steps<T> = {
  readonly start: readonly number[];
  readonly stop: readonly T[];
  /** An outdated instance whose turn it is to be replaced: by a new one beside it, or after it was stopped. */
  readonly replace: T | undefined;
  readonly done: boolean;
};

/**
 * The next steps towards the wanted size and definition; call it again after every change. Outdated instances are replaced
 * one at a time, the next one when all others are ready. A new one in a crash loop stops the rollout and the old one
 * stays, so that a mistake doesn't take every instance down.
 */
export function nextSteps<T extends PresentInstance>(size: number, instances: readonly T[]): Steps<T> {
  const present = new Set(instances.map(({ index }) => index));
  const start = Array.from({ length: size }, (_, index) => index).filter((index) => !present.has(index));
  const wanted = instances.filter(({ index }) => index < size);
  const running = wanted.filter(({ state }) => state !== "stopping");
  const superfluous = [...Map.groupBy(running, ({ index }) => index).values()].flatMap(superfluousOf);
  const tooMany = instances.filter(({ index, state }) => index >= size && state !== "stopping");
  const isSettled = start.length === 0 && superfluous.length === 0 && running.length === wanted.length;
  const isCalm = isSettled && running.every((one) => !one.isCurrent || isReady(one));
  const outdated = running.filter(({ isCurrent }) => !isCurrent);
  return {
    start,
    stop: [...tooMany, ...superfluous],
    // Broken instances are replaced before working ones.
    replace: isCalm ? outdated.toSorted((left, right) => Number(isReady(left)) - Number(isReady(right)))[0] : undefined,
    done: isCalm && outdated.length === 0 && instances.length === size,
  };
}

function isReady({ state, isResizing }: PresentInstance): boolean {
  return state === "ready" && !isResizing;
}

/** Those of one index that its best instance makes superfluous. Another one stays until that is ready, unless it fails. */
function superfluousOf<T extends PresentInstance>(same: readonly T[]): T[] {
  const best = same.filter(({ isCurrent }) => isCurrent).toSorted(byWorth)[0];
  if (!best) return same.toSorted(byWorth).slice(1);
  const others = same.filter((one) => one !== best && one.state !== "failing");
  const stays = isReady(best) ? undefined : others.toSorted(byWorth)[0];
  return same.filter((one) => one !== best && one !== stays);
}

/** Ready ones first, then newer ones. */
function byWorth(left: PresentInstance, right: PresentInstance): number {
  return Number(isReady(right)) - Number(isReady(left)) || right.generation - left.generation;
}
