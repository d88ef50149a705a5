import type { StoredChange } from "../../src/changes/stored-change.ts";
import type { Store } from "../../src/store/store.ts";
import { type Edge, edges } from "./points.ts";
import type { Order, Step } from "./ipc.ts";

export type Reporter = {
  /** Resolves with how to go on. */
  readonly ask: (step: Step) => Promise<Order>;
  readonly started: () => void;
  /** A Change was claimed: what is sent to its workload from now on is sent for it. */
  readonly claimed: (change: StoredChange) => void;
};

type AnyFunction = (...args: readonly unknown[]) => Promise<unknown>;

/** The same store, whose functions that change something say so before and after, and wait until they may go on. */
export function reportingStore(store: Store, telling: Reporter): Store {
  const told = edges.map((edge) => [edge, reporting(edge, store[edge] as AnyFunction, telling)]); // each takes what it took
  return { ...store, ...(Object.fromEntries(told) as Pick<Store, Edge>) }; // the same names, with the same types
}

function reporting(edge: Edge, work: AnyFunction, { ask, started, claimed }: Reporter): AnyFunction {
  return async (...args) => {
    const changeId = changeIn(args[0]);
    const leave = await ask({ edge, when: "before", changeId });
    if (leave === "stay") return forEver();
    const working = work(...args);
    if (leave === "start") {
      working.catch(() => undefined);
      started();
      return forEver();
    }
    const result = await working;
    if (edge === "claim" && isClaimed(result)) claimed(result.change);
    const left = await ask({ edge, when: "after", changeId, isEffective: isEffective(edge, result) });
    return left === "go" ? result : forEver();
  };
}

function forEver(): Promise<never> {
  return new Promise(() => undefined);
}

function changeIn(argument: unknown): string | undefined {
  if (typeof argument === "string") return argument;
  if (typeof argument !== "object" || argument === null || !("id" in argument)) return undefined;
  return typeof argument.id === "string" ? argument.id : undefined;
}

function isClaimed(result: unknown): result is { readonly kind: "claimed"; readonly change: StoredChange } {
  return typeof result === "object" && result !== null && "kind" in result && result.kind === "claimed";
}

/** These do what they are for whatever they say. */
const always: ReadonlySet<Edge> = new Set<Edge>([
  "finish",
  "drew",
  "postponeDrawing",
  "addEvent",
  "beat",
  "countCalls",
]);

/** What is looked for and not found, and what somebody else did before, is nothing that was done. */
function isEffective(edge: Edge, result: unknown): boolean {
  if (always.has(edge)) return true;
  if (Array.isArray(result)) return result.length > 0;
  if (typeof result === "object" && result !== null && "kind" in result) {
    return result.kind === "claimed" || result.kind === "counted";
  }
  return result !== undefined && result !== false;
}
