import type { Service } from "../state/service-store.ts";
import { nameInLog } from "../runtime.ts";
import type { PresentInstance } from "./next-steps.ts";
import type { ServiceInstance } from "./service-instance.ts";
import { isCurrentGeneration } from "./revisions.ts";
import { sharedDigest } from "../image-digest.ts";
import type { Unwell } from "../answer-fields.ts";

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
