import type { Unit } from "../runtime.ts";

/** Gives a container's unit the memory limit of the definition while it runs. */
export type MemoryFit = {
  /** Compares the unit's limit with the wanted one, and changes it if they differ. */
  readonly fit: (unit: Unit) => void;
  readonly isResizing: () => boolean;
  /** Its limit is another one and can't be changed, so it has to be replaced. */
  readonly isMisfit: (unit: Unit | undefined) => boolean;
};

type MemoryFitOptions = {
  readonly wantedMib: () => number | undefined;
  readonly note: (line: string) => void;
  /** Called after each attempt. */
  readonly changed: () => void;
};

export function makeMemoryFit({ wantedMib, note, changed }: MemoryFitOptions): MemoryFit {
  let misfit: Unit | undefined;
  let pending = 0;
  let earlier = Promise.resolve();

  async function resizeAfter(others: Promise<void>, unit: Unit): Promise<void> {
    await others;
    await resize(unit);
    pending -= 1;
    changed();
  }

  async function resize(unit: Unit): Promise<void> {
    const wanted = wantedMib();
    const fits = unit.limitMib?.() === wanted;
    const isResized = !fits && (await unit.resize?.(wanted).catch(() => false)) === true;
    misfit = fits || isResized ? undefined : unit;
    if (isResized) note(`its memory limit is ${limitText(wanted)} now; it wasn't restarted for that`);
    if (misfit) note(`its memory limit can't be changed to ${limitText(wanted)} while it runs: it is replaced`);
  }

  return {
    fit(unit) {
      // A runtime that can't change limits doesn't tell them either.
      if (!unit.limitMib || (pending === 0 && unit.limitMib() === wantedMib())) return;
      pending += 1;
      earlier = resizeAfter(earlier, unit);
    },
    isResizing: () => pending > 0,
    isMisfit: (unit) => misfit !== undefined && misfit === unit,
  };
}

function limitText(mib: number | undefined): string {
  return mib === undefined ? "none" : `${mib} MiB`;
}
