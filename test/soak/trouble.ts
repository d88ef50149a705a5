import { setTimeout as sleep } from "node:timers/promises";
import type { Cut } from "./network.ts";
import type { Options } from "./options.ts";
import type { Stage } from "./stage.ts";

/** What was done to Slack, the network and the replicas. */
export type Troubles = {
  slowMessages: number;
  refreshes: number;
  /** When the network was cut, by `performance.now`. */
  readonly cutAtMs: number[];
  stops: number;
  /** When a replica was ended with `kill -9`. */
  readonly killedAtMs: number[];
};

/** Whether a connection or a replica ended between the two moments, by `performance.now`. */
export function hasBroken({ cutAtMs, killedAtMs }: Troubles, fromMs: number, toMs: number): boolean {
  return [...cutAtMs, ...killedAtMs].some((atMs) => atMs >= fromMs && atMs <= toMs);
}

const SLOW_AT_S = 5;
/** Of each even minute and of each odd one: Slack sends an event again after a minute, and not into the next cut. */
const CUT_AT_S = [15, 25] as const;
export const CUT_FOR_MS = 6_000;
const END_AT_S = 37;
const REFRESH_AT_S = 50;
const MINUTE_MS = 60_000;
/** People get their answers in peace at the end. */
const CALM_AT_END_MS = 10_000;

type TroubleOptions = Pick<Options, "cut" | "hasTrouble"> & { readonly forMs: number };

type Event = { readonly atMs: number; readonly what: () => Promise<void> };

/** Each minute: Slack is slow with one message, the network is cut, a replica ends, and Slack renews its links. Resolves at the end of the time. */
export async function makeTrouble(
  stage: Stage,
  troubles: Troubles,
  { forMs, cut, hasTrouble }: TroubleOptions,
): Promise<void> {
  const sinceMs = performance.now();
  const until = (ms: number): Promise<void> => sleep(Math.max(0, sinceMs + ms - performance.now()));
  for (const { atMs, what } of hasTrouble ? scheduleFor(stage, troubles, { forMs, how: cut }) : []) {
    await until(atMs);
    await what();
  }
  await until(forMs);
}

type Schedule = { readonly forMs: number; readonly how: Cut };

function scheduleFor(stage: Stage, troubles: Troubles, { forMs, how }: Schedule): readonly Event[] {
  const minutes = Array.from({ length: Math.ceil(forMs / MINUTE_MS) }, (_, index) => index);
  const events = minutes.flatMap((minute): Event[] => {
    const at = (seconds: number): number => minute * MINUTE_MS + seconds * 1_000;
    const isEven = minute % 2 === 0;
    return [
      { atMs: at(SLOW_AT_S), what: () => slowDown(stage, troubles) },
      { atMs: at(CUT_AT_S[isEven ? 0 : 1]), what: () => cut(stage, troubles, how) },
      { atMs: at(END_AT_S), what: () => end(stage, troubles, isEven ? "SIGKILL" : "SIGTERM") },
      { atMs: at(REFRESH_AT_S), what: () => refresh(stage, troubles) },
    ];
  });
  return events.filter(({ atMs }) => atMs <= forMs - CALM_AT_END_MS);
}

/** The next card or answer in a channel comes ten seconds late. */
function slowDown({ playground, note }: Stage, troubles: Troubles): Promise<void> {
  note("Slack is slow with one message");
  troubles.slowMessages += 1;
  playground.faults.answer("chat.postMessage", "slow", 1);
  return Promise.resolve();
}

async function cut({ network, note }: Stage, troubles: Troubles, how: Cut): Promise<void> {
  troubles.cutAtMs.push(performance.now());
  note(`the network is cut for ${CUT_FOR_MS / 1000} s (${how})`);
  network.cut(how);
  await sleep(CUT_FOR_MS);
  network.mend();
}

/** The last one: the first lives through the soak, so that its memory says something. */
async function end({ replicas, note }: Stage, troubles: Troubles, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  const replica = replicas.at(-1);
  if (replica === undefined) return;
  note(`${replica.name} is ended with ${signal}`);
  if (signal === "SIGKILL") troubles.killedAtMs.push(performance.now());
  else troubles.stops += 1;
  await replica.restart(signal);
  note(`${replica.name} is ready again`);
}

async function refresh({ refreshLinks, note }: Stage, troubles: Troubles): Promise<void> {
  if (refreshLinks === undefined) return;
  note("Slack renews its links");
  troubles.refreshes += 1;
  refreshLinks();
}
