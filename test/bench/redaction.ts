import { redactLines } from "../../src/bot/logs/redact.ts";
import { median } from "./stats.ts";
import { atMost, type Row } from "./row.ts";

const LINES = 53_000;

/** 5 MB in 53,000 lines. */
export function measureRedaction(repetitions: number): readonly Row[] {
  const lines = Array.from(
    { length: LINES },
    (_, at) => `2026-11-20T09:30:00Z INFO request ${at} GET /orders/${at * 7} 200 in ${at % 90} ms user=dana region=b1`,
  );
  const once = (): number => {
    const startedAt = performance.now();
    redactLines(lines);
    return performance.now() - startedAt;
  };
  const ours = median(Array.from({ length: repetitions + 1 }, once));
  return [atMost({ name: "redaction of 5 MB in 53,000 lines", unit: "ms", ours }, 300)];
}
