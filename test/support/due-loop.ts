import { type Logger, pino } from "pino";
import { onTestFinished } from "vitest";
import { createDueLoop, type DueWork } from "../../src/bot/workflow/due.ts";
import type { Store } from "../../src/bot/store/store.ts";
import { dueKinds, type DueKindName } from "../../src/bot/workflow/due-kinds.ts";
import { createLanes } from "../../src/bot/workflow/inbox/lanes.ts";
import { machineClock } from "../../src/platform/clock.ts";
import { stillClock } from "./test-clock.ts";

type Wanted = {
  readonly store: Store;
  /** Other kinds are done at once. */
  readonly work: Partial<Record<DueKindName, DueWork>>;
  readonly log?: Logger;
  readonly onError?: (error: unknown) => void;
};

/** The loop of a replica, in lanes of its own. */
export function dueLoop({ store, work, log = pino({ level: "silent" }), onError = () => undefined }: Wanted) {
  const lanes = createLanes({ drain: { graceMs: 100, goodbyeMs: 100 }, onError, clock: machineClock });
  onTestFinished(async () => void (await lanes.drain()));
  const done: DueWork = async () => "done";
  const rest = Object.fromEntries(Object.keys(dueKinds).map((name) => [name, done])) as Record<DueKindName, DueWork>; // all names
  const clock = stillClock();
  return { ...createDueLoop({ store, lanes, log, clock, work: { ...rest, ...work } }), lanes, clock };
}
