import { table } from "../bench/table.ts";
import { type Fault, faults, type Ledger } from "./ledger.ts";
import type { Growth } from "./memory.ts";
import type { Options } from "./options.ts";
import type { Troubles } from "./trouble.ts";

export type Result = {
  readonly options: Options;
  readonly ledger: Ledger;
  readonly troubles: Troubles;
  readonly seconds: number;
  /** Of the replica that lived through it. */
  readonly growth: { readonly resident: Growth | undefined; readonly held: Growth | undefined };
};

/** More is a leak: over a day, 4 GB. The slope of few samples may be more by chance, so it has to be surely more. */
const MOST_HELD_MB_PER_MINUTE = 3;
/** So much is too much, however unsure. */
const ANYWAY_HELD_MB_PER_MINUTE = 10;
/** No run so far has needed more. It has to be generous: V8 extends the heap although no more of it is in use. */
const MOST_RESIDENT_MB = 400;
export const DELIVERIES_A_SECOND = 20;
/** Below this share a replica did less than was asked of it; a busy machine makes people wait. */
const LEAST_SHARE = 0.8;

export function failuresOf({ ledger, growth, options, seconds }: Result): readonly string[] {
  const rate = sum(ledger.delivered) / seconds;
  return [
    ...ledger.found.map(({ fault, what }) => `${fault}: ${what}`),
    ...(isLongEnough(options) ? tooMuch(growth) : []),
    ...(rate < DELIVERIES_A_SECOND * LEAST_SHARE ? [`only ${rate.toFixed(1)} deliveries a second were made`] : []),
  ];
}

function tooMuch({ resident, held }: Result["growth"]): readonly string[] {
  if (held === undefined) return ["how much memory is in use is not known: there were too few full collections"];
  return [
    ...(isLeak(held) ? [`the memory in use grows by ${slopeOf(held)}`] : []),
    ...(resident !== undefined && resident.toMb > MOST_RESIDENT_MB
      ? [`${resident.toMb.toFixed(0)} MB are resident`]
      : []),
  ];
}

/** Whether this growth is none that chance makes. */
export function isLeak({ mbPerMinute, giveOrTake }: Growth): boolean {
  return mbPerMinute - giveOrTake > MOST_HELD_MB_PER_MINUTE || mbPerMinute > ANYWAY_HELD_MB_PER_MINUTE;
}

function slopeOf({ mbPerMinute, giveOrTake }: Growth): string {
  return `${mbPerMinute.toFixed(1)} ± ${giveOrTake.toFixed(1)} MB a minute`;
}

/** A shorter soak measures the warm-up. */
const isLongEnough = ({ minutes }: Options): boolean => minutes >= 4;

export function reportOf({ options, ledger, troubles, seconds, growth }: Result): string {
  const deliveries = sum(ledger.delivered);
  const { transport, seed } = options;
  const rows = [
    ["deliveries", `${deliveries} (${(deliveries / seconds).toFixed(1)} a second)`],
    ["acked", String(ledger.ackMs.length)],
    ...listed("not acked: Slack told the person, who tried again", ledger.refused),
    ["answers", String(ledger.answerMs.length)],
    ["  late answers to what Slack had given up on", String(ledger.lateAnswers)],
    ...listed("  “try again” and the like", ledger.refusals),
    ...listed("requests that are", ledger.outcomes),
    ["networks cut", String(troubles.cutAtMs.length)],
    ["replicas killed (kill -9)", String(troubles.killedAtMs.length)],
    ["replicas stopped (SIGTERM)", String(troubles.stops)],
    ["messages that Slack was slow with", String(troubles.slowMessages)],
    ["links renewed", String(troubles.refreshes)],
    ...listed("errors in the log:", ledger.errors),
    ["memory of replica 1, resident", memory(growth.resident)],
    ["  in use after full collections", memory(growth.held)],
    ...faults.map((fault) => [fault, String(found(ledger, fault))]),
    ["answers given again after a cut or a kill", String(ledger.answeredAgain)],
    ["reads that died with a killed replica", String(ledger.diedWithReplica)],
  ];
  return `${transport === "http" ? "HTTP" : "Socket Mode"}, ${(seconds / 60).toFixed(1)} minutes, seed ${seed}\n${table(rows)}`;
}

function listed(title: string, counts: ReadonlyMap<string, number>): string[][] {
  return [...counts].map(([what, times]) => [`${title} ${what}`, String(times)]);
}

function memory(growth: Growth | undefined): string {
  if (growth === undefined) return "not measured";
  const { fromMb, toMb } = growth;
  return `${fromMb.toFixed(0)} → ${toMb.toFixed(0)} MB, slope ${slopeOf(growth)}`;
}

function found({ found: all }: Ledger, fault: Fault): number {
  return all.filter((each) => each.fault === fault).length;
}

function sum(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((total, each) => total + each, 0);
}
