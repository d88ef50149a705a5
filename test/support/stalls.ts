import type { OperationId } from "../../src/api/operations.ts";
import type { Store } from "../../src/bot/store/store.ts";
import { operationOf } from "./operation-of.ts";
import { pointOf, type StorePoint } from "./store-point.ts";
import type { WorldOptions } from "./world.ts";

/** Before it is done, or after it was done and before anybody hears of it. */
export type Moment = "before" | "after";

export type Stalls = Required<Pick<WorldOptions, "store" | "via">> & {
  /** From now on the bot gets no further than this, in its database or at the service. */
  readonly at: (what: StorePoint | OperationId, moment: Moment) => void;
  readonly isReached: () => boolean;
  /** The service does this once, and the line breaks before it answers. */
  readonly breakOnce: (op: OperationId) => void;
  /** Who comes next is not stopped; who was stopped stays so. */
  readonly clear: () => void;
};

/** Stops the bot at a point of its way, so that it can be killed there. */
export function createStalls(): Stalls {
  let armed: { readonly what: StorePoint | OperationId; readonly moment: Moment } | undefined;
  let isReached = false;
  let breaking: OperationId | undefined;
  const pass = async <Result>(
    what: StorePoint | OperationId,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    const isHere = armed?.what === what;
    if (isHere && armed?.moment === "after") await work();
    if (!isHere) return work();
    isReached = true;
    return new Promise<never>((_, reject) => {
      // As fetch does when who asked hangs up.
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true }); // oxlint-disable-line prefer-promise-reject-errors -- the signal's own
    });
  };
  return {
    async via(request, send) {
      const op = operationOf(request);
      const response = await pass(op, () => send(request), request.signal);
      if (op !== breaking) return response;
      breaking = undefined;
      throw new TypeError("fetch failed", { cause: Object.assign(new Error("read"), { code: "ECONNRESET" }) });
    },
    store(real) {
      const { isOpen, trouble, onDue, close } = real;
      const held = Object.entries(real).map(([name, work]) => [
        name,
        typeof work === "function"
          ? (...args: readonly unknown[]) =>
              // a name of the store's own
              pass(pointOf(name as keyof Store, args), async () => Reflect.apply(work, undefined, args) as unknown) // any result
          : work,
      ]);
      return { ...Object.fromEntries(held), isOpen, trouble, onDue, close } as Store; // the same names as before
    },
    at(what, moment) {
      armed = { what, moment };
      isReached = false;
    },
    breakOnce: (op) => void (breaking = op),
    isReached: () => isReached,
    clear: () => void (armed = undefined),
  };
}
