import type { Deed } from "./deed.ts";

export type Unfinished = {
  /** Remembers a delivery that the database interrupted. */
  readonly keep: (id: string, deed: Deed) => void;
  /** All of them, once. */
  readonly take: () => readonly (readonly [id: string, deed: Deed])[];
};

/** Deliveries of this process to go on with when the database is back; if the process dies first, others take them. */
export function createUnfinished(): Unfinished {
  const kept = new Map<string, Deed>();
  return {
    keep: (id, deed) => void kept.set(id, deed),
    take() {
      const all = [...kept];
      kept.clear();
      return all;
    },
  };
}
