import type { StoreError } from "../../src/bot/errors.ts";
import { unusable } from "../../src/bot/store/database/session.ts";
import type { Store } from "../../src/bot/store/store.ts";

export type AwayStore = {
  /** Stands between the bot and its store. */
  readonly wrap: (real: Store) => Store;
  /** From now on the database doesn't answer, as if its machine were gone. */
  readonly leave: () => void;
  readonly comeBack: () => void;
};

const away = (): StoreError => unusable("it can't be reached (ECONNREFUSED)");

/** A database that goes away and comes back. What was asked before it went is still answered. */
export function awayStore(): AwayStore {
  let isAway = false;
  const unlessAway =
    (work: (...args: readonly unknown[]) => unknown) =>
    async (...args: readonly unknown[]) => {
      if (isAway) throw away();
      return work(...args);
    };
  return {
    wrap(real) {
      const functions = Object.entries(real).map(([name, work]) => [
        name,
        typeof work === "function" ? unlessAway((...args) => Reflect.apply(work, undefined, args)) : work,
      ]);
      const { isOpen, onDue, close } = real;
      const trouble = async (): Promise<StoreError | undefined> => (isAway ? away() : real.trouble());
      return { ...Object.fromEntries(functions), isOpen, onDue, close, trouble } as Store; // the same names as before
    },
    leave: () => void (isAway = true),
    comeBack: () => void (isAway = false),
  };
}
