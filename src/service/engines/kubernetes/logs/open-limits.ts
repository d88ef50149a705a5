import type { Clock } from "../../../../platform/clock.ts";
import { KubeError, KubeUnreachable } from "../cluster/kube-api.ts";
import { type BackOff, delayAfter } from "../../../workloads/lifecycle/back-off.ts";

/** Lets all readers of a cluster open logs at a bounded rate, so that no failure becomes a storm. */
export type Opening = {
  /** Resolves when one more log may be opened. Rejects with the reason of an aborted signal. */
  readonly take: (signal: AbortSignal) => Promise<void>;
  readonly succeeded: () => void;
  /** After an error of the whole cluster everybody waits, not only the reader that saw it. */
  readonly failed: (error: unknown) => void;
};

type OpeningOptions = {
  readonly perSecond: number;
  readonly backOffMs: BackOff;
  readonly clock: Pick<Clock, "elapsedMs" | "sleep">;
};

export function makeOpening({ perSecond, backOffMs, clock }: OpeningOptions): Opening {
  const every = 1_000 / perSecond;
  let next = 0;
  let failures = 0;
  let pausedUntil = 0;
  return {
    async take(signal) {
      for (;;) {
        const before = pausedUntil;
        const at = Math.max(clock.elapsedMs(), next);
        next = at + every;
        const wait = at - clock.elapsedMs();
        if (wait > 0) await clock.sleep(wait, signal);
        // After a failure meanwhile, everybody gets a new time behind the pause, one after the other.
        if (pausedUntil <= before) return;
      }
    },
    succeeded() {
      failures = 0;
      pausedUntil = 0;
    },
    failed(error) {
      const isOfCluster = error instanceof KubeUnreachable || (error instanceof KubeError && error.status === 429);
      if (!isOfCluster || clock.elapsedMs() < pausedUntil) return;
      failures += 1;
      const wanted = error instanceof KubeError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
      pausedUntil = clock.elapsedMs() + Math.max(wanted, delayAfter(failures, backOffMs));
      next = Math.max(next, pausedUntil);
    },
  };
}

/** A place for a log that is open. */
export type Place = {
  readonly giveBack: () => void;
  /** The holder's turn is over: `leave` is called when somebody else needs the place, now or later. */
  readonly offer: (offer: Offer) => void;
};

type Offer = {
  readonly leave: () => void;
  /** When the last line came; monotonic milliseconds. */
  readonly quietSince: () => number;
};

/** Places for logs that are open at the same time. Who finds none waits in line, and the holder of the quietest log leaves. */
export type Places = {
  /** Rejects with the reason of an aborted signal. */
  readonly take: (signal: AbortSignal) => Promise<Place>;
};

export function makePlaces(count: number, onContended: () => void): Places {
  let free = count;
  let line: (() => void)[] = [];
  const offers = new Set<Offer>();
  /** Holders who were asked to leave and haven't given back their place yet. */
  const leaving = new Set<Offer>();

  function askToLeave(): void {
    while (line.length > leaving.size && offers.size > 0) {
      const quietest = [...offers].reduce((one, other) => (other.quietSince() < one.quietSince() ? other : one));
      offers.delete(quietest);
      leaving.add(quietest);
      quietest.leave();
    }
  }

  function place(): Place {
    let isHeld = true;
    let offered: Offer | undefined;
    return {
      giveBack() {
        if (!isHeld) return;
        isHeld = false;
        if (offered) {
          offers.delete(offered);
          leaving.delete(offered);
        }
        const next = line.shift();
        if (next) next();
        else free += 1;
      },
      offer(offer) {
        if (!isHeld || offered) return;
        offered = offer;
        offers.add(offer);
        askToLeave();
      },
    };
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return place();
      }
      if (line.length === 0) onContended();
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const leave = () => {
          line = line.filter((each) => each !== go);
          reject(signal.reason);
        };
        line.push(go);
        signal.addEventListener("abort", leave, { once: true });
        askToLeave();
      });
      return place();
    },
  };
}
