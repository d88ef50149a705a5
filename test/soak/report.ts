import { percentile } from "../bench/stats.ts";
import { table } from "../bench/table.ts";
import { type Fault, faults, kinds, type Ledger } from "./ledger.ts";
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
/** Below this a replica did less than was asked of it; a busy machine makes people wait. */
const LEAST_SHARE = 0.8;

export function failuresOf({ ledger, growth, options, seconds }: Result): readonly string[] {
  const rate = sum(ledger.delivered) / seconds;
  return [
    ...ledger.found.map(({ fault, what }) => `${fault}: ${what}`),
    ...(isLongEnough(options) ? tooMuch(growth) : []),
    ...(rate < options.rate * LEAST_SHARE ? [`only ${rate.toFixed(1)} deliveries a second were made`] : []),
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
  const { transport, store, seed } = options;
  const where = `${transport === "http" ? "HTTP" : "Socket Mode"}, ${store === "postgres" ? "PostgreSQL, 2 replicas" : "SQLite, 1 replica"}`;
  const rows = [
    ["deliveries", `${deliveries} (${(deliveries / seconds).toFixed(1)} a second)`],
    ...kinds.map((kind) => [`  ${kind}`, String(ledger.delivered.get(kind) ?? 0)]),
    ["acked", `${ledger.ackMs.length}, ${times(ledger.ackMs)}`],
    ...listed("not acked: Slack told the person, who tried again", ledger.refused),
    ["answers", `${ledger.answerMs.length}, ${times(ledger.answerMs)}`],
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
  return `${where}, ${(seconds / 60).toFixed(1)} minutes, seed ${seed}\n${table(rows)}`;
}

function listed(title: string, counts: ReadonlyMap<string, number>): string[][] {
  return [...counts].map(([what, times]) => [`${title} ${what}`, String(times)]);
}

function memory(growth: Growth | undefined): string {
  if (growth === undefined) return "not measured";
  const { fromMb, toMb } = growth;
  return `${fromMb.toFixed(0)} → ${toMb.toFixed(0)} MB, slope ${slopeOf(growth)}`;
}

function times(ms: readonly number[]): string {
  if (ms.length === 0) return "none";
  const [p50, p99] = [percentile(ms, 0.5), percentile(ms, 0.99)];
  return `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, slowest ${Math.max(...ms).toFixed(0)} ms`;
}

function found({ found: all }: Ledger, fault: Fault): number {
  return all.filter((each) => each.fault === fault).length;
}

function sum(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((total, each) => total + each, 0);
}
