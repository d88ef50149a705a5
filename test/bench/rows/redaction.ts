import { redactLines } from "../../../src/bot/logs/redact.ts";
import { median } from "../stats.ts";
import { atMost, type Row } from "./row.ts";

const LINES = 53_000;
const MARKER = "-----END PRIVATE KEY-----";
const MARKERS = 32_000;

function linesOf(count: number): readonly string[] {
  return Array.from(
    { length: count },
    (_, at) => `2026-11-20T09:30:00Z INFO request ${at} GET /orders/${at * 7} 200 in ${at % 90} ms user=dana region=b1`,
  );
}

function redactionMs(lines: readonly string[], times: number): number {
  const once = (): number => {
    const startedAt = performance.now();
    redactLines(lines);
    return performance.now() - startedAt;
  };
  return median(Array.from({ length: times }, once));
}

/** 5 MB in 53,000 lines, and twice as many. */
export function measureRedaction(repetitions: number): readonly Row[] {
  const times = repetitions + 1;
  const ours = redactionMs(linesOf(LINES), times);
  const twice = redactionMs(linesOf(2 * LINES), times);
  const half = redactionMs([MARKER.repeat(MARKERS)], times);
  const whole = redactionMs([MARKER.repeat(2 * MARKERS)], times);
  return [
    atMost({ name: "redaction of 5 MB in 53,000 lines", unit: "ms", ours }, 300),
    atMost({ name: "the same for twice as many lines, by it", unit: "times", ours: twice / ours }, 2.2),
    atMost({ name: "redaction of one line of 800,000 characters of markers", unit: "ms", ours: half }, 100),
    atMost({ name: "the same for twice as many markers, by it", unit: "times", ours: whole / half }, 2.2),
  ];
}
