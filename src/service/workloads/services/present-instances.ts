import type { Service } from "../state/store.ts";
import { nameInLog } from "../runtime.ts";
import type { ServiceInstance } from "./service-instance.ts";
import { isCurrentGeneration } from "./revisions.ts";
import { sharedDigest } from "../../../api/image.ts";
import type { Unwell } from "../answer-fields.ts";
import type { InstanceState } from "./service-status.ts";

/** An instance of one runner. */
type Numbered = {
  readonly index: number;
  readonly instance: ServiceInstance;
  readonly generation: number;
  /** It runs only after the one that it replaces has ended, so a quota needs no room for both. */
  readonly startsAlone: boolean;
};

export type Present = PresentInstance & Numbered;

export type Instances = {
  /** While one is replaced, two of the same index. */
  readonly instances: Set<Numbered>;
  readonly service: Service;
};

export function present({ instances, service }: Instances): Present[] {
  return [...instances].map((one) => ({
    ...one,
    state: one.instance.state(),
    isCurrent: isCurrentGeneration(service, one.generation) && !one.instance.isMisfit(),
    isResizing: one.instance.isResizing(),
  }));
}

/** Those that neither stop nor have to be replaced. */
export function current(run: Instances): Present[] {
  return present(run).filter(({ isCurrent, state }) => isCurrent && state !== "stopping");
}

/** Names in the log of the instances that aren't stopping. */
export function instanceNames(run: Instances): string[] {
  const left = present(run).filter(({ state }) => state !== "stopping");
  const inOrder = left.toSorted((one, other) => one.index - other.index || one.generation - other.generation);
  return inOrder.map(({ index, generation }) => nameInLog({ instance: `${run.service.name}-${index}`, generation }));
}

/** By the position of the container: the digest of its image in every ready instance of the current revision. */
export function digestsOf(run: Instances): (string | undefined)[] {
  const ready = current(run).filter(({ state }) => state === "ready");
  const units = ready.flatMap(({ instance }) => instance.units());
  return run.service.definition.containers.map((_, at) =>
    sharedDigest(units.flatMap(({ labels, imageDigest }) => (labels.container === at ? [imageDigest] : []))),
  );
}

/** Whether the memory of those that run can be changed in place. */
export function canResize(run: Instances): boolean {
  const units = current(run).flatMap(({ instance }) => instance.units());
  return units.length > 0 && units.every(({ resize }) => resize !== undefined);
}

/** Higher than that of every instance. */
export function nextGeneration({ service, instances }: Instances): number {
  return Math.max(service.generation, ...[...instances].map(({ generation }) => generation)) + 1;
}

export function targetsOf({ instances }: Instances, containerPort: number): string[] {
  const all = [...instances].map(({ instance }) => instance);
  const ready = all.filter((each) => each.state() === "ready");
  return (ready.length > 0 ? ready : all).flatMap((each) => each.address(containerPort) ?? []);
}

/** How unwell the present instances of a service are. One that stops may end as it likes. */
export function unwellOf(instances: readonly Pick<ServiceInstance, "state" | "crashes" | "waits" | "units">[]): Unwell {
  const present = instances.filter((each) => each.state() !== "stopping");
  const crashed = present.flatMap((each) => {
    const { last } = each.crashes();
    // What hinders a program that runs again says more than how it ended before.
    const isPast = each.state() === "ready" || (each.units().length > 0 && each.waits() !== undefined);
    return last === undefined ? [] : [{ ...last, isPast }];
  });
  const waited = present.map((each) => each.waits());
  const newestFirst = crashed.toSorted((left, right) => (left.at > right.at ? -1 : 1));
  return {
    restartCount: present.reduce((sum, each) => sum + each.crashes().count, 0),
    lastState: newestFirst.find(({ end }) => end !== undefined)?.end,
    message: newestFirst.find(({ isPast }) => !isPast)?.how ?? waited.find((line) => line !== undefined),
  };
}

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

type Steps<T> = {
  readonly start: readonly number[];
  readonly stop: readonly T[];
  /** Outdated instances whose turn it is to be replaced: each by a new one beside it, or after it was stopped. */
  readonly replace: readonly T[];
  /** All instances are current and ready; earlier ones may still be ending. */
  readonly isReplaced: boolean;
  /** The same, and no other one is left. */
  readonly done: boolean;
};

/**
 * The next steps towards the wanted size and definition; call it again after every change. A quarter of the outdated
 * instances is replaced at once, and the next one follows when one of these is ready: the end of the old one takes its time
 * beside it, but no more of them than are replaced at once. A new one in a crash loop stops the rollout and the old ones
 * stay, so that a mistake doesn't take every instance down.
 */
export function nextSteps<T extends PresentInstance>(size: number, instances: readonly T[]): Steps<T> {
  const present = new Set(instances.map(({ index }) => index));
  const start = Array.from({ length: size }, (_, index) => index).filter((index) => !present.has(index));
  const wanted = instances.filter(({ index }) => index < size);
  const running = wanted.filter(({ state }) => state !== "stopping");
  const superfluous = [...Map.groupBy(running, ({ index }) => index).values()].flatMap(superfluousOf);
  const tooMany = instances.filter(({ index, state }) => index >= size && state !== "stopping");
  const ending = new Set([...tooMany, ...superfluous]);
  const places = [...Map.groupBy(wanted, ({ index }) => index).values()];
  const settled = places.filter(isSettled).flat();
  const handedOver = places.filter(isHandedOver).length;
  const underway = start.length + places.length - settled.length;
  const outdated = settled.filter(({ isCurrent }) => !isCurrent);
  const isHeld = running.some(({ isCurrent, state }) => isCurrent && state === "failing");
  // A quarter, and at least one, so that the others serve meanwhile.
  const mostAtOnce = Math.max(1, Math.floor(size / 4));
  const turns = isHeld ? 0 : Math.max(0, mostAtOnce - underway + Math.min(handedOver, mostAtOnce));
  const isReplaced =
    places.length === size &&
    places.every((same) => same.some((one) => one.isCurrent && isReady(one))) &&
    running.every((one) => one.isCurrent || ending.has(one));
  return {
    start,
    stop: [...ending],
    // Broken instances are replaced before working ones.
    replace: outdated.toSorted((left, right) => Number(isReady(left)) - Number(isReady(right))).slice(0, turns),
    isReplaced,
    done: isReplaced && instances.length === size,
  };
}

/** One instance alone that is ready, or that waits for its turn to be replaced. */
function isSettled(same: readonly PresentInstance[]): boolean {
  const [one, ...others] = same;
  if (!one || others.length > 0 || one.state === "stopping") return false;
  return !one.isCurrent || isReady(one);
}

/** A new one is ready, and the others only have to end. */
function isHandedOver(same: readonly PresentInstance[]): boolean {
  return same.length > 1 && same.some((one) => one.isCurrent && isReady(one));
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
