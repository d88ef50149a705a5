import type { Job } from "../state/job-store.ts";

/** How the last failed attempt ended, and how many failed: "exit code 2 after 4 attempts". */
export function attemptsText({ failures, lastExit = "failed" }: Pick<Job, "failures" | "lastExit">): string {
  return `${lastExit} after ${failures} ${failures === 1 ? "attempt" : "attempts"}`;
}
