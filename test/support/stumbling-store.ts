import { StoreError } from "../../src/bot/errors.ts";
import type { Store } from "../../src/bot/store/store.ts";

/** A name and a count: "beat 2" is the second call of `beat`. By name, because calls made side by side come in any order. */
type Call = string;

export type StumblingStore = {
  /** Stands between the bot and its store. */
  readonly wrap: (real: Store) => Store;
  /** Counts anew, and this call fails, with what the database did for it undone; or none does. */
  readonly failAt: (call: Call | undefined) => void;
  /** Those made since. */
  readonly calls: () => ReadonlySet<Call>;
};

/** A database that loses one statement: a lock that isn't given, a primary that changes, a time limit. */
export function stumblingStore(): StumblingStore {
  let wanted: Call | undefined;
  let counts = new Map<string, number>();
  let calls = new Set<Call>();
  const stumbling =
    (name: string, work: (...args: readonly unknown[]) => unknown) =>
    async (...args: readonly unknown[]) => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const call = `${name} ${count}`;
      calls.add(call);
      if (call !== wanted) return work(...args);
      throw new StoreError(`Gantry's database didn't answer in time (${name}).`);
    };
  return {
    wrap(real) {
      const functions = Object.entries(real).map(([name, work]) => [
        name,
        typeof work === "function" ? stumbling(name, (...args) => Reflect.apply(work, undefined, args)) : work,
      ]);
      const { isOpen, onDue, close } = real;
      return { ...Object.fromEntries(functions), isOpen, onDue, close } as Store; // the same names as before
    },
    failAt(call) {
      wanted = call;
      counts = new Map();
      calls = new Set();
    },
    calls: () => calls,
  };
}
