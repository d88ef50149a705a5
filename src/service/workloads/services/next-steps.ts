import type { InstanceState } from "./service-status.ts";

/** An instance, with the fields that `nextSteps` compares. */
export type PresentInstance = {
  readonly index: number;
  readonly state: InstanceState;
  /** Started from the current definition. */
  readonly isCurrent: boolean;
};

export type Steps = { readonly start: readonly number[]; readonly stop: readonly number[]; readonly done: boolean };

/**
 * The next steps towards the wanted size and definition; call it again after every change. Outdated instances are replaced
 * one at a time, the next one when all others are ready. A new one in a crash loop stops the rollout, so that a mistake
 * does not take every instance down.
 */
export function nextSteps(size: number, instances: readonly PresentInstance[]): Steps {
  const stop = instances.filter(({ index, state }) => index >= size && state !== "stopping").map(({ index }) => index);
  const kept = instances.filter(({ index }) => index < size);
  const present = new Set(kept.map(({ index }) => index));
  const start = Array.from({ length: size }, (_, index) => index).filter((index) => !present.has(index));
  const outdated = kept.filter(({ isCurrent }) => !isCurrent);
  const mayReplace = start.length === 0 && kept.every(({ state, isCurrent }) => state === "ready" || !isCurrent);
  const isReplacing = kept.some(({ state }) => state === "stopping");
  // Broken instances are replaced before working ones.
  const [next] = outdated.toSorted((left, right) => Number(left.state === "ready") - Number(right.state === "ready"));
  if (next && mayReplace && !isReplacing) stop.push(next.index);
  const done =
    start.length === 0 && instances.length === size && kept.every((one) => one.isCurrent && one.state === "ready");
  return { start, stop, done };
}
