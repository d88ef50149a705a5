import type { Store } from "../../src/bot/store/store.ts";
import type { StepName } from "../../src/bot/workflow/lifecycle.ts";

/** A call of the store by name: the function's, or for `advance` the name of its step. */
export type StorePoint = Exclude<keyof Store, "advance"> | StepName;

export function pointOf(name: keyof Store, args: readonly unknown[]): StorePoint {
  if (name !== "advance") return name;
  const [, step] = args as Parameters<Store["advance"]>; // the arguments of this very function
  return step.name;
}
