import type { Exchange } from "./exchange.ts";
import { aborted, timedOut } from "./failures.ts";
import type { OperationId } from "./operations.ts";
import type { Problem } from "./problem.ts";

/** One request under way, retries included, and those who wait for it. */
export type Flight = {
  /** Aborted when nobody waits any longer. */
  readonly signal: AbortSignal;
  /** To be called just before a request leaves. */
  readonly leaving: () => void;
  /** Until the most patient of those who wait gives up. */
  readonly timeLeftMs: () => number;
};

type Passenger = {
  readonly op: OperationId;
  /** Equal keys share a flight. Without a key it is a write, and nobody shares it. */
  readonly key?: string;
  readonly budgetMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly start: (flight: Flight) => Promise<Exchange>;
};

type Airborne = {
  readonly answer: Promise<Exchange>;
  readonly control: AbortController;
  readonly deadlines: Set<{ readonly at: number }>;
  sent: boolean;
};

export type Flights = { join(passenger: Passenger): Promise<Exchange> };

/**
 * Shares requests that are under way. Everybody has their own budget and may give up alone; the request itself is
 * aborted when the last one has. Nobody shares a read that began before a write did, or before it was over: it may not
 * show what the write has done.
 */
export function createFlights(): Flights {
  let shared = new Map<string, Airborne>();
  const closeDoors = (): void => {
    shared = new Map();
  };
  const launch = (passenger: Passenger): Promise<Exchange> => {
    const { key } = passenger;
    const doors = shared;
    const found = key === undefined ? undefined : doors.get(key);
    const flight = found ?? takeOff(passenger);
    const done = (): void => forget(doors, key, flight);
    if (found === undefined && key !== undefined) {
      doors.set(key, flight);
      void flight.answer.catch(() => undefined).finally(done);
    }
    return board(flight, passenger, done);
  };
  return {
    join(passenger) {
      if (passenger.key !== undefined) return launch(passenger);
      closeDoors();
      return launch(passenger).finally(closeDoors);
    },
  };
}

function forget(shared: Map<string, Airborne>, key: string | undefined, flight: Airborne): void {
  // Another flight may have taken the key since.
  if (key !== undefined && shared.get(key) === flight) shared.delete(key);
}

function takeOff({ start }: Passenger): Airborne {
  const control = new AbortController();
  const deadlines = new Set<{ readonly at: number }>();
  const { promise: answer, resolve } = Promise.withResolvers<Exchange>();
  const flight: Airborne = { answer, control, deadlines, sent: false };
  const leaving = (): void => {
    flight.sent = true;
  };
  const timeLeftMs = (): number => Math.max(0, ...[...deadlines].map(({ at }) => at)) - performance.now();
  // Begins in the next turn, when the first one is on board and the time that is left is known.
  resolve(Promise.resolve().then(() => start({ signal: control.signal, leaving, timeLeftMs })));
  return flight;
}

/** Waits for the flight within the passenger's own budget and signal. Time is monotonic: clocks are set, budgets are not. */
function board(flight: Airborne, { op, budgetMs, signal }: Passenger, deserted: () => void): Promise<Exchange> {
  const seat = { at: performance.now() + budgetMs };
  flight.deadlines.add(seat);
  const { promise: given, reject } = Promise.withResolvers<never>();
  const giveUp = (problem: Problem): void => {
    flight.deadlines.delete(seat);
    reject(problem);
    if (flight.deadlines.size > 0) return;
    deserted();
    flight.control.abort();
  };
  const stop = (): void => giveUp(aborted(op, flight.sent));
  const timer = setTimeout(() => giveUp(timedOut(op, budgetMs, flight.sent)), budgetMs);
  signal?.addEventListener("abort", stop, { once: true });
  return Promise.race([flight.answer, given]).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  });
}
