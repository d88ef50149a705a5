export type Area = "Slack" | "Workload API" | "Database" | "Gantry";

/** One line of the doctor and of `/gantry status`. Everything but ok says one thing to do. */
export type Finding = {
  /** For scripts: `slack.token`. */
  readonly check: string;
  readonly area: Area;
} & Judged;

/** Sentences without names of secrets; parts between backticks are code. */
export type Judged =
  | { readonly state: "ok"; readonly says: string }
  | { readonly state: "warning" | "broken"; readonly says: string; readonly todo: string };

export type State = Finding["state"];

export function ok(says: string): Judged {
  return { state: "ok", says };
}

export function warning(says: string, todo: string): Judged {
  return { state: "warning", says, todo };
}

export function broken(says: string, todo: string): Judged {
  return { state: "broken", says, todo };
}

const worse: readonly State[] = ["ok", "warning", "broken"];

/** The worst state of all; ok for none. */
export function worstOf(findings: readonly Pick<Finding, "state">[]): State {
  return worse[Math.max(0, ...findings.map(({ state }) => worse.indexOf(state)))] ?? "ok";
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "44s", "2m", "3h", "5d". */
export function shortSpan(ms: number): string {
  const size = Math.max(0, ms);
  if (size < MINUTE) return `${Math.floor(size / SECOND)}s`;
  if (size < HOUR) return `${Math.floor(size / MINUTE)}m`;
  return size < DAY ? `${Math.floor(size / HOUR)}h` : `${Math.floor(size / DAY)}d`;
}

/** The age of an ISO 8601 time. */
export function ageOf(time: string, now: Date): string {
  return shortSpan(now.getTime() - Date.parse(time));
}

/** "3m ahead of", "44s behind". */
export function aheadOrBehind(aheadMs: number): string {
  return `${shortSpan(Math.abs(aheadMs))} ${aheadMs < 0 ? "behind" : "ahead of"}`;
}

export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
