import { cpus, loadavg } from "node:os";
import type { AckResult } from "./ack.ts";
import { MOST_MESSAGE_RATIO } from "./cases.ts";
import type { Memory } from "./memory.ts";
import type { GapResult } from "./refresh-gap.ts";
import type { Row } from "./rows/row.ts";
import { missedRows, rowTable } from "./rows/row-table.ts";
import type { MessageResult } from "./slash-to-message.ts";
import type { Range, Spread } from "./stats.ts";
import { table } from "./table.ts";
import type { ViewResult } from "./view-drawn.ts";

export type Figures = {
  readonly rows: readonly Row[];
  readonly acks: readonly AckResult[];
  readonly gaps: readonly GapResult[];
  readonly messages: readonly MessageResult[];
  readonly views: readonly ViewResult[];
  readonly memoryBefore: readonly Memory[];
  readonly memoryAfter: readonly Memory[];
};

export function machine(): string {
  const load = loadavg()[0]?.toFixed(1) ?? "?";
  return `node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} cores, load average ${load}`;
}

/** The targets that were missed, as sentences. Commands that were lost or doubled miss one each. */
export function missed({ rows, acks, gaps, messages, views }: Figures): readonly string[] {
  const slowAcks = acks
    .filter(({ most, pooledP99Ratio, p99Ratio: { low } }) => most !== undefined && pooledP99Ratio > most && low > most)
    .map(
      (row) => `${named(row)}: p99 of the ack is ${row.pooledP99Ratio.toFixed(2)} × the bare app's, not ≤ ${row.most}`,
    );
  const few = acks
    .filter(({ least, rate }) => least !== undefined && rate !== undefined && !(rate.high >= least))
    .map((row) => `${named(row)}: ${row.rate?.median.toFixed(2)} × the bare app's in a second, not ≥ ${row.least}`);
  const lost = acks
    .filter(({ posts, commands, answered }) => posts && answered !== commands)
    .map((row) => `${named(row)}: ${row.commands - row.answered} of ${row.commands} commands got no answer`);
  const doubled = acks
    .filter((row) => row.doubled > 0)
    .map((row) => `${named(row)}: ${row.doubled} messages more than commands`);
  const refused = acks.filter((row) => row.notOk > 0).map((row) => `${named(row)}: ${row.notOk} acks were not 200`);
  const slowMessages = messages
    .filter(({ isTarget, ratio }) => isTarget && !(ratio <= MOST_MESSAGE_RATIO))
    .map(({ name, ratio }) => `${name}: ${ratio.toFixed(2)} × its two calls`);
  const slowViews = views
    .filter(({ mostMs, subjectMs }) => mostMs !== undefined && !(subjectMs.p99 <= mostMs))
    .map(({ name, subjectMs, mostMs }) => `${name}: p99 is ${subjectMs.p99.toFixed(0)} ms, not ${mostMs} at most`);
  const gapped = gaps
    .filter(({ subjectSide: { gapMs, lost } }) => gapMs.max > 0 || lost > 0)
    .map(({ name, subjectSide: { gapMs, lost } }) => `${name}: a gap of ${gapMs.max.toFixed(1)} ms, ${lost} lost`);
  return [
    ...missedRows(rows),
    ...slowAcks,
    ...few,
    ...gapped,
    ...lost,
    ...doubled,
    ...refused,
    ...slowMessages,
    ...slowViews,
  ];
}

function named({ name, concurrency }: AckResult): string {
  return `${name}, concurrency ${concurrency}`;
}

export function report(figures: Figures): string {
  const misses = missed(figures);
  return [
    ...(figures.rows.length > 0 ? [rowTable(figures.rows)] : []),
    ...(figures.acks.length > 0 ? [ackTable(figures.acks)] : []),
    ...(figures.gaps.length > 0 ? [gapTable(figures.gaps)] : []),
    ...(figures.messages.length > 0 ? [messageTable(figures.messages)] : []),
    ...(figures.views.length > 0 ? [viewTable(figures.views)] : []),
    ...(figures.memoryAfter.length > 0 ? [memoryTable(figures)] : []),
    misses.length === 0 ? "Every target (*) is reached." : `Missed:\n${misses.map((miss) => `  ${miss}`).join("\n")}`,
  ].join("\n\n");
}

function ackTable(acks: readonly AckResult[]): string {
  const head = [
    "ack, ms",
    "conc",
    "p50",
    "p90",
    "p99",
    "base p50",
    "p90",
    "p99",
    "p99 ratio",
    "of rounds",
    "pooled",
    "most",
    "a second",
    "answered",
  ];
  const rows = acks.map((row) => [
    `${row.most === undefined ? "  " : "* "}${row.name} (${row.subject} by ${row.base}, ${row.repetitions} × ${row.rounds} × ${row.requests / row.rounds})`,
    String(row.concurrency),
    ...spreadCells(row.subjectMs),
    ...spreadCells(row.baseMs),
    row.p99Ratio.median.toFixed(2),
    `${row.p99Ratio.low.toFixed(2)}–${row.p99Ratio.high.toFixed(2)}`,
    row.pooledP99Ratio.toFixed(2),
    row.most === undefined ? "–" : String(row.most),
    rateCell(row),
    row.posts ? `${row.answered}/${row.commands}` : "–",
  ]);
  return [
    "Ack: from the request sent to its whole answer. Medians over the rounds (repetitions × rounds × requests).",
    "The ratio is of p99, per round, and where its median lies with 95 % certainty; pooled: of all rounds together.",
    "A second: commands with their messages, by the base.",
    table([head, ...rows]),
    '* target: ratio ≤ most, missed when pooled and all of rounds are beyond. "noise" is the bare app by itself.',
  ].join("\n");
}

function rateCell({ rate }: AckResult): string {
  return rate === undefined ? "–" : `${rate.median.toFixed(2)} (${rate.low.toFixed(2)}–${rate.high.toFixed(2)})`;
}

function spreadCells({ p50, p90, p99 }: Spread): string[] {
  return [p50, p90, p99].map((ms) => ms.toFixed(2));
}

function gapTable(gaps: readonly GapResult[]): string {
  const head = ["refresh", "gap, ms", "lost", "replaced, ms", "base gap, ms", "lost", "replaced, ms"];
  const span = ({ min, max }: Range): string => (min === max ? min.toFixed(0) : `${min.toFixed(0)}–${max.toFixed(0)}`);
  const cells = ({ gapMs, lost, sent, replacedMs }: GapResult["subjectSide"]): string[] => [
    span(gapMs),
    `${lost}/${sent}`,
    span(replacedMs),
  ];
  const rows = gaps.map((row) => [
    `* ${row.name} (${row.subject} by ${row.base}, ${row.times} times)`,
    ...cells(row.subjectSide),
    ...cells(row.baseSide),
  ]);
  return [
    "Refresh: Slack announces the end of all connections of an app, then ends them; a command every 10 ms meanwhile.",
    "Gap: the time without any connection. Replaced: until the old ones are closed and as many new ones are open.",
    table([head, ...rows]),
    "* target: no gap, none lost",
  ].join("\n");
}

function messageTable(messages: readonly MessageResult[]): string {
  const head = ["slash to message, p50 in ms", "whole", "its ack", "API alone", "Slack alone", "over", "ratio"];
  const rows = messages.map((row) => [
    `${row.isTarget ? "* " : "  "}${row.name} (${row.commands})`,
    ...[row.totalMs, row.ackMs, row.apiMs, row.slackMs, row.totalMs - row.apiMs - row.slackMs].map((ms) =>
      ms.toFixed(2),
    ),
    row.ratio.toFixed(2),
  ]);
  return [
    'Slash to message: "/gantry list services" sent, until Slack has taken its message, one after the other.',
    table([head, ...rows]),
    `* target: ratio ≤ ${MOST_MESSAGE_RATIO}`,
  ].join("\n");
}

function viewTable(views: readonly ViewResult[]): string {
  const head = ["view drawn, ms", "p50", "p90", "p99", "base p50", "p90", "p99", "p50 ratio", "most", "API calls"];
  const rows = views.map((row) => [
    `${row.mostMs === undefined ? "  " : "* "}${row.name} (${row.times}, by ${row.base})`,
    ...spreadCells(row.subjectMs),
    ...spreadCells(row.baseMs),
    row.p50Ratio.toFixed(2),
    row.mostMs === undefined ? "–" : String(row.mostMs),
    row.calls.toFixed(1),
  ]);
  return [
    "View drawn: from the request sent until Slack has taken the Home, or until the call that opens the form has come.",
    table([head, ...rows]),
    "* target: p99 ≤ most. The base app makes the same calls, and draws counts or a form of one field.",
  ].join("\n");
}

function memoryTable({ memoryBefore, memoryAfter }: Figures): string {
  const rows = memoryAfter.map(({ name, rssMb }) => [
    name,
    (memoryBefore.find((before) => before.name === name)?.rssMb ?? Number.NaN).toFixed(0),
    rssMb.toFixed(0),
  ]);
  return table([["resident memory, MB", "at start", "after the load"], ...rows]);
}
