// A worker thread: slow work here blocks nobody, and the pool can end it at any moment.
import type { Redacted } from "../../../api/redacted.ts";
import { parentPort } from "node:worker_threads";
import { cleanLine } from "../clean-line.ts";
import { excerptOf } from "../excerpt.ts";
import { lastState, redactLines, shortened } from "../redact.ts";
import type { Report, Task } from "./log-pool.ts";

/** Characters of a line. */
const LONGEST = 500;
const shown = (line: Redacted): Redacted => shortened(line, LONGEST, "…");

function say(report: Report): void {
  parentPort?.postMessage(report);
}

parentPort?.on("message", (task: Task) => {
  try {
    say({ kind: "step", step: "redacting" });
    const result =
      task.kind === "redact"
        ? redactLines(task.lines.map(cleanLine), task.secrets).map(lastState).map(shown)
        : excerptOf(task.request, () => say({ kind: "step", step: "matching" }));
    say({ kind: "done", result });
  } catch (error) {
    say({ kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
