import type { LogFindings } from "../../logs/failures.ts";
import { counted, grouped } from "../kit/text.ts";
import { span } from "../kit/time.ts";

const MINUTE_MS = 60_000;

/** "6 error lines per minute", as far as what was read tells; undefined when it reports no error of now. */
export function failureRate({ count, recent, read }: LogFindings): string | undefined {
  if (count === 0 || recent?.count === 0) return undefined;
  if (recent === undefined) return `${counted(count, "error")} in the last ${counted(read, "log line")}`;
  const perMinute = Math.round(recent.count / (recent.spanMs / MINUTE_MS));
  const some = counted(recent.count, "error line");
  if (recent.spanMs < MINUTE_MS || perMinute < 1) return `${some} in ${span(recent.spanMs)}`;
  return `${counted(perMinute, "error line")} per minute`;
}

/** "the last 200 log lines", "today's 57 log lines": what was read. */
export function readWords({ read, mayHaveOlder }: LogFindings): string {
  return mayHaveOlder ? `the last ${grouped(read)} log lines` : `today's ${counted(read, "log line")}`;
}
