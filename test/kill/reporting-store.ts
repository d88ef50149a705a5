import type { StoredChange } from "../../src/bot/changes/stored-change.ts";
import { lifecycle, type StepName } from "../../src/bot/workflow/lifecycle.ts";
import type { Advanced } from "../../src/bot/workflow/stored.ts";
import type { Store } from "../../src/bot/store/store.ts";
import { pointOf } from "../support/store-point.ts";
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

/** Functions of the store, one of which is called at each edge. */
const functions = new Set(edges.map((edge) => (isStep(edge) ? "advance" : functionOf(edge))));

function isStep(name: Edge | StepName): name is StepName {
  return name in lifecycle;
}

/** Without the kind of work that is due. */
function functionOf(edge: Exclude<Edge, StepName>): keyof Store {
  const [name = edge] = edge.split(" ");
  return name as keyof Store; // each edge begins with one
}

const isEdge = (name: string): name is Edge => (edges as readonly string[]).includes(name); // a wider element

/** The same store, whose functions that change something say so before and after, and wait until they may go on. */
export function reportingStore(store: Store, telling: Reporter): Store {
  const told = [...functions].map((name) => [name, reporting(name, store[name] as AnyFunction, telling)]); // each takes what it took
  return { ...store, ...(Object.fromEntries(told) as Partial<Store>) }; // the same names, with the same types
}

function reporting(name: keyof Store, work: AnyFunction, { ask, started, claimed }: Reporter): AnyFunction {
  return async (...args) => {
    const edge = pointOf(name, args);
    if (!isEdge(edge)) return work(...args);
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
    if (edge === "claim" && isMoved(result)) claimed(result.change);
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

function isMoved(result: unknown): result is Extract<Advanced, { readonly kind: "moved" }> {
  return typeof result === "object" && result !== null && "kind" in result && result.kind === "moved";
}

/** These do what they are for whatever they say. */
const always: ReadonlySet<Edge> = new Set<Edge>([
  "finishDelivery",
  "delayDue post",
  "removePost",
  "endFollow",
  "placeNotices",
  "addEvent",
  "beat",
  "countCalls",
]);

/** What is looked for and not found, and what somebody else did before, is nothing that was done. */
function isEffective(edge: Edge, result: unknown): boolean {
  if (always.has(edge)) return true;
  if (Array.isArray(result)) return result.length > 0;
  if (edge === "accept") return result !== undefined;
  if (typeof result === "object" && result !== null && "kind" in result) {
    return ["moved", "begun", "added", "changed"].includes(String(result.kind));
  }
  if (edge === "savePost") return result !== "lost";
  return result !== undefined && result !== false && result !== "taken";
}
