import { StoreError } from "../../src/bot/errors.ts";
import type { Store } from "../../src/bot/store/store.ts";

export type StumblingStore = {
  /** Stands between the bot and its store. */
  readonly wrap: (real: Store) => Store;
  /** The call with this number from now on fails, with what the database did for it undone; 0 for none. */
  readonly failAt: (number: number) => void;
  /** How many calls there were since. */
  readonly calls: () => number;
  /** The name of the one that failed. */
  readonly failed: () => string | undefined;
};

/** A database that loses one statement: a lock that isn't given, a primary that changes, a time limit. */
export function stumblingStore(): StumblingStore {
  let calls = 0;
  let wanted = 0;
  let failed: string | undefined;
  const stumbling =
    (name: string, work: (...args: readonly unknown[]) => unknown) =>
    async (...args: readonly unknown[]) => {
      calls += 1;
      if (calls !== wanted) return work(...args);
      failed = name;
      throw new StoreError(`Gantry's database didn't answer in time (${name}).`);
    };
  return {
    wrap(real) {
      const functions = Object.entries(real).map(([name, work]) => [
        name,
        typeof work === "function" ? stumbling(name, (...args) => Reflect.apply(work, undefined, args)) : work,
      ]);
      const { isOpen, close } = real;
      return { ...Object.fromEntries(functions), isOpen, close } as Store; // the same names as before
    },
    failAt(number) {
      calls = 0;
      wanted = number;
      failed = undefined;
    },
    calls: () => calls,
    failed: () => failed,
  };
}
