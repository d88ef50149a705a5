// A worker thread: slow work here blocks nobody, and the pool can end it at any moment.
import { parentPort } from "node:worker_threads";
import { cleanLine } from "../clean-line.ts";
import { excerptOf } from "../excerpt.ts";
import { redactLines } from "../redact.ts";
import type { Report, Task } from "./log-pool.ts";

function say(report: Report): void {
  parentPort?.postMessage(report);
}

parentPort?.on("message", (task: Task) => {
  try {
    say({ kind: "step", step: "redacting" });
    say(
      task.kind === "redact"
        ? { kind: "redacted", lines: redactLines(task.lines.map(cleanLine), task.secrets) }
        : { kind: "excerpt", excerpt: excerptOf(task.request, () => say({ kind: "step", step: "matching" })) },
    );
  } catch (error) {
    say({ kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
