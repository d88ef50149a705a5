import type { Level } from "../../../../src/api/workload-status.ts";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import type { Entry } from "../../../../src/bot/commands/lookup/directory.ts";
import type { HomeState } from "../../../../src/bot/views/home/state.ts";
import { homeView } from "../../../../src/bot/views/home/view.ts";
import { now } from "./workloads.ts";

const serviceVerbs = commands.filter(({ name }) =>
  ["logs", "scale", "start", "stop", "restart", "delete"].includes(name),
);

/** Policy allows everything on these. */
export function mayAll(...targets: readonly string[]): HomeState["mayDo"] {
  return new Map(targets.map((target) => [target, serviceVerbs]));
}

/** Nothing runs, and nothing waits. */
export const base: HomeState = {
  account: { owner: { kind: "workspace" }, username: "team", region: "beijing1", jobsRegion: "us" },
  services: [],
  jobs: [],
  page: 0,
  isReading: false,
  problems: [],
  mine: [],
  waiting: [],
  recent: [],
  mayDo: new Map(),
  verbs: [
    { name: "create", summary: "Create a service or a job" },
    { name: "show", summary: "Show one service or job" },
    { name: "scale", summary: "Set how many instances a service has" },
  ],
  regions: ["beijing1", "beijing2"],
  defaultRegion: "beijing1",
  readAt: now,
  now,
};

/** Dana's Home, with what the test is about. */
export function home(given: Partial<HomeState> = {}) {
  return homeView({ ...base, ...given });
}

export function workload(name: string, [level, status]: readonly [Level, string], more: Partial<Entry> = {}): Entry {
  return { name, status, health: { level, words: status }, ...more };
}

export const running = ["healthy", "running"] as const;
export const flaky: Entry = {
  name: "flaky",
  status: "keeps crashing",
  health: {
    level: "failing",
    words: "keeps crashing",
    facts: "6 restarts in 4 min",
    reason: "exited with code 137 (out of memory)",
    since: "2026-11-21T11:56:00Z",
  },
  size: "0 of 1",
};

/** So many services, by name. */
export function entries(count: number, [level, status]: readonly [Level, string] = running): Entry[] {
  return Array.from({ length: count }, (_, at) =>
    workload(`w-${String(at + 1).padStart(4, "0")}`, [level, status], { size: "2 of 2" }),
  );
}
