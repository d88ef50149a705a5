import type { Store } from "../../src/bot/store/store.ts";

/** From `freeze` on, nothing that is asked of the store is ever answered: whoever waits for it waits for ever. */
export function freezable(real: Store): { readonly store: Store; readonly freeze: () => void } {
  let isFrozen = false;
  const never = new Promise<never>(() => undefined);
  const held = Object.entries(real).map(([name, work]) => [
    name,
    name === "isOpen" || name === "onDue" || typeof work !== "function"
      ? work
      : async (...args: readonly unknown[]) => {
          const result = await (isFrozen ? never : Reflect.apply(work, undefined, args));
          return isFrozen ? never : result;
        },
  ]);
  return { store: Object.fromEntries(held) as Store, freeze: () => void (isFrozen = true) }; // the same names as before
}
