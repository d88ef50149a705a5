import type { Store } from "../../src/bot/store/store.ts";
import type { DueKindName } from "../../src/bot/workflow/due-kinds.ts";
import type { StepName } from "../../src/bot/workflow/lifecycle.ts";

const dueCalls = ["takeDue", "holdDue", "endDue", "delayDue"] as const; // names of functions
type DueCall = (typeof dueCalls)[number];

/** A call of the store by name: the function's, for `advance` the name of its step, and for work that is due also its kind. */
export type StorePoint = Exclude<keyof Store, "advance" | DueCall> | StepName | `${DueCall} ${DueKindName}`;

const isDueCall = (name: keyof Store): name is DueCall => (dueCalls as readonly string[]).includes(name); // a wider element

export function pointOf(name: keyof Store, args: readonly unknown[]): StorePoint {
  if (isDueCall(name)) {
    const [{ kind }] = args as Parameters<Store[DueCall]>; // the arguments of this very function
    return `${name} ${kind}`;
  }
  if (name !== "advance") return name;
  const [, step] = args as Parameters<Store["advance"]>; // the arguments of this very function
  return step.name;
}
