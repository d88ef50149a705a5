import type { Facts } from "../facts.ts";
import { broken, type Judged, ok, warning, counted } from "../finding.ts";
import { reportsOf } from "./arrival-checks.ts";

/** A read with the workspace's account. */
export function apiAnswer(facts: Facts): Judged[] {
  const { api } = facts;
  if (api.kind === "inside") {
    return reportsOf(facts).length > 0
      ? [ok("The workload API runs inside Gantry")]
      : [
          warning(
            "The workload API runs inside Gantry, and can't be checked without it",
            "Start Gantry, then check again.",
          ),
        ];
  }
  if (api.kind === "own") {
    const { host, connected, workspaces } = api;
    if (connected >= workspaces) return [ok(`Each workspace has its own account at ${host}`)];
    return [
      warning(
        `${counted(workspaces - connected, "workspace")} of ${workspaces} without an account at ${host}`,
        "A workspace admin connects one with `/gantry connect workspace`.",
      ),
    ];
  }
  const { host, account, answer, region } = api;
  if (answer.ok) return [ok(`${host} answers as \`${account}\` (services in ${region}, ${answer.ms} ms)`)];
  const todo = answer.isAccountRefused
    ? "Check WORKLOAD_API_USERNAME and WORKLOAD_API_TOKEN."
    : "Check WORKLOAD_API_URL, and that the workload API runs.";
  return [broken(answer.says, todo)];
}

/** Fewer left than this share of the day's calls. */
const FEW_LEFT = 0.1;

export function apiCalls({ api }: Facts): Judged[] {
  if (api.kind === "own") return [];
  const { count, perDay } = api.calls;
  if (perDay === undefined) return [ok(`${counted(count, "API request")} today by \`${api.account}\``)];
  const left = Math.max(0, perDay - count);
  const says = `${left} of ${perDay} API requests left today for \`${api.account}\``;
  const todo = "Raise the limit of this account, or let people connect their own with `/gantry connect`.";
  if (left === 0) return [broken(says, todo)];
  return [left < perDay * FEW_LEFT ? warning(says, todo) : ok(says)];
}

/** Each region of the engine, if the workload API says what runs it. */
export function engine(facts: Facts): Judged[] {
  const found = facts.api.kind === "asked" ? facts.api.engine : reportsOf(facts).find((each) => each.engine)?.engine;
  if (found === undefined) return [];
  const unwell = found.regions.filter(({ problem }) => problem !== undefined);
  if (unwell.length === 0) {
    const regions = found.regions.map(({ name, version }) => (version === undefined ? name : `${name} ${version}`));
    return [ok(`${found.title}: ${regions.join(", ")}`)];
  }
  return unwell.map(({ name, problem }) => {
    const says = `${found.title} in ${name}: ${problem ?? "it can't be reached"}`;
    const todo = `Check ${found.title} in ${name}; Gantry goes on as soon as it answers.`;
    return unwell.length === found.regions.length ? broken(says, todo) : warning(says, todo);
  });
}
