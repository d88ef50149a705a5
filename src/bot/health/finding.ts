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
