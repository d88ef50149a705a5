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
