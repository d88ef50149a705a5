// A worker thread: slow work here blocks nobody, and the pool can end it at any moment.
import { parentPort } from "node:worker_threads";
import { cleanLine } from "../clean-line.ts";
import { excerptOf } from "../excerpt.ts";
import { redactLines } from "../redact.ts";
import type { Report, Task } from "./task.ts";

function say(report: Report): void {
  parentPort?.postMessage(report);
}

function work(task: Task): Report {
  say({ kind: "step", step: "redacting" });
  if (task.kind === "redact") return { kind: "redacted", lines: redactLines(task.lines.map(cleanLine), task.secrets) };
  return { kind: "excerpt", excerpt: excerptOf(task.request, () => say({ kind: "step", step: "matching" })) };
}

parentPort?.on("message", (task: Task) => {
  try {
    say(work(task));
  } catch (error) {
    say({ kind: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
