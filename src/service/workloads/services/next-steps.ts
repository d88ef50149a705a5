import type { InstanceState } from "./service-status.ts";

/** An instance as far as deciding needs it. */
export type PresentInstance = {
  readonly index: number;
  readonly state: InstanceState;
  /** Whether it was started from what the service is meant to be now. */
  readonly isCurrent: boolean;
};

export type Steps = { readonly start: readonly number[]; readonly stop: readonly number[]; readonly done: boolean };

/**
 * What to do now so that the instances become what is wanted. Called again whenever something has changed, so it needs
 * no memory: it compares. Instances of an older definition are replaced one at a time, the next one when all others are
 * ready; a new one that crashes again and again holds the roll, so that a mistake does not take every instance down.
 */
export function nextSteps(size: number, instances: readonly PresentInstance[]): Steps {
  const stop = instances.filter(({ index, state }) => index >= size && state !== "stopping").map(({ index }) => index);
  const kept = instances.filter(({ index }) => index < size);
  const present = new Set(kept.map(({ index }) => index));
  const start = Array.from({ length: size }, (_, index) => index).filter((index) => !present.has(index));
  const outdated = kept.filter(({ isCurrent }) => !isCurrent);
  const mayReplace = start.length === 0 && kept.every(({ state, isCurrent }) => state === "ready" || !isCurrent);
  const isReplacing = kept.some(({ state }) => state === "stopping");
  // One that does not work is replaced before one that does.
  const [next] = outdated.toSorted((left, right) => Number(left.state === "ready") - Number(right.state === "ready"));
  if (next && mayReplace && !isReplacing) stop.push(next.index);
  const done =
    start.length === 0 && instances.length === size && kept.every((one) => one.isCurrent && one.state === "ready");
  return { start, stop, done };
}
