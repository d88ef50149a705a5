import { delayAfter, type BackOff } from "./back-off.ts";
import { makeRest } from "./rest.ts";

/** Work that must succeed in the end, such as saving a result while the disk is full. */
export type Trying = {
  /** Resolves when the work has succeeded or is given up. Never rejects. */
  readonly over: Promise<void>;
  /** Ends a pause, and resolves or rejects with the attempt that is under way or begins now. */
  readonly attempt: () => Promise<void>;
};

export type KeepTrying = {
  /** The engine closes: the work gets one more attempt and is then given up. */
  readonly closing: AbortSignal;
  /** Told of the first failure of a row only, so that a full disk does not fill the log too. */
  readonly onFailure: (error: unknown) => void;
  readonly backOff?: BackOff;
};

const BACK_OFF: BackOff = { first: 250, max: 5_000 };

type Waiter = { readonly resolve: () => void; readonly reject: (error: unknown) => void };

/** Does the work, again and again with a growing pause, until it succeeds. `work` must stand being repeated. */
export function keepTrying(work: () => Promise<void>, { closing, onFailure, backOff = BACK_OFF }: KeepTrying): Trying {
  const rest = makeRest();
  const waiters = new Set<Waiter>();
  let isOver = false;

  function tell(how: (waiter: Waiter) => void): void {
    for (const waiter of waiters) how(waiter);
    waiters.clear();
  }

  async function succeeds(failures: number): Promise<boolean> {
    try {
      await work();
      tell(({ resolve }) => resolve());
      return true;
    } catch (error) {
      if (failures === 0) onFailure(error);
      tell(({ reject }) => reject(error));
      return false;
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      const isLast = closing.aborted;
      if ((await succeeds(failures)) || isLast) break;
      if (!closing.aborted) await rest.take(delayAfter(failures + 1, backOff));
    }
    isOver = true;
    closing.removeEventListener("abort", rest.end);
  }

  closing.addEventListener("abort", rest.end);
  return {
    over: run(),
    async attempt() {
      if (isOver) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiters.add({ resolve, reject });
      rest.end();
      await promise;
    },
  };
}
