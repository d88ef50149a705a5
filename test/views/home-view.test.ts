import { describe, expect, test } from "vitest";
import type { HomeState } from "../../src/views/home/state.ts";
import { homeView } from "../../src/views/home/view.ts";
import { bestOf } from "./support/best-of.ts";
import { drawnHome } from "./support/drawn.ts";
import { expectHomeTaken } from "./support/judges.ts";
import { alex, event, stored } from "./support/stored-changes.ts";
import { command, now } from "./support/workloads.ts";
import { slowness } from "../support/until.ts";

const base: HomeState = {
  command,
  who: "Dana Reyes",
  account: { owner: { kind: "workspace" }, username: "team", region: "beijing1" },
  services: [],
  jobs: [],
  isReading: false,
  problems: [],
  mine: [],
  waiting: [],
  recent: [],
  mayDo: new Map([
    ["service/api", ["logs", "restart", "delete"]],
    ["job/import", ["logs", "delete"]],
  ]),
  verbs: [
    { name: "create", summary: "Create a service or a job" },
    { name: "show", summary: "Show one service or job" },
    { name: "scale", summary: "Set how many instances a service has" },
  ],
  regions: ["beijing1", "beijing2"],
  defaultRegion: "beijing1",
  readAt: now,
};

function home(given: Partial<HomeState> = {}) {
  return homeView({ ...base, ...given });
}

function entries(count: number, status: string, name = status.toLowerCase()) {
  return Array.from({ length: count }, (_, at) => ({ name: `${name}-${at}`, status }));
}

test("Home shows what runs, what waits, what happened and with which account", () => {
  const view = home({
    services: [...entries(9, "Running", "web"), ...entries(2, "Stopped", "old"), { name: "api", status: "Failed" }],
    jobs: [...entries(2, "Complete", "report"), { name: "import", status: "Failed" }],
    waiting: [stored({ id: "AAAAAA", requester: alex, diff: ["instances 6 → 2", "memory 512 → 1024 MiB", "more"] })],
    mine: [stored({ votes: [alex] })],
    recent: [event("done", { result: "took effect" })],
  });

  expectHomeTaken(view);
  expect(drawnHome(view)).toMatchInlineSnapshot(`
    "# Gantry
    [Create workload] [Find workload] [Refresh] [Do something… ▾]
    What runs
    12 services in beijing1: 1 Failed, 9 Running, 2 Stopped
    3 jobs: 1 Failed, 2 Complete
    🔴 Failed  service api
    [Show] [Logs] [Restart] [Delete]
    🔴 Failed  job import
    [Show] [Logs] [Delete]
    Waits for your vote
    @alex asks to scale service web
    instances 6 → 2 · memory 512 → 1024 MiB · and 1 more · disruptive
    Why: Black Friday is over
    AAAAAA · 0 of 2 votes · until 2026-11-21 13:00 UTC
    [Approve] [Reject]
    You asked for
    To scale service web
    instances 6 → 2 · disruptive
    7K3M9Q · 1 of 2 votes · until 2026-11-21 13:00 UTC
    [Cancel]
    Recent changes
    • 2026-11-21 12:00 UTC  ✅ Done: scale service web (7K3M9Q)
    All of it: /gantry history
    ────────
    You and your account
    You  Dana Reyes
    Account  team, the workspace's
    Region  beijing1 for services, unless you say another one; jobs run in the region us
    [beijing1 (the default) ▾] [Connect your own account]
    Last read: 2026-11-21 12:00 UTC. It is read anew when you open this tab."
  `);
});

test("where nothing runs yet, it says how to begin", () => {
  expect(drawnHome(home())).toContain(
    "What runs\n0 services in beijing1\n0 jobs\nBegin with the first one: “Create workload”, or in words /gantry help create",
  );
});

test("where no account is linked, it offers to connect one and nothing that needs one", () => {
  const { account: _account, ...others } = base;

  const view = homeView({ ...others, accountProblem: "You have no account here, and the workspace has none." });

  expectHomeTaken(view);
  expect(drawnHome(view)).toMatchInlineSnapshot(`
    "# Gantry
    [Refresh]
    ────────
    How to begin
    You have no account here, and the workspace has none.
    [Connect an account]
    What Gantry can do: /gantry help
    Last read: 2026-11-21 12:00 UTC. It is read anew when you open this tab."
  `);
});

test("while the service has not answered, Home says what is known", () => {
  const view = home({ services: undefined, jobs: undefined, isReading: true, problems: ["The database is away."] });

  expect(drawnHome(view)).toContain("⚠️ The database is away.\nWhat runs\n⏳ Reading what runs…");
});

test("where the service does not answer at all, it says that nothing is known", () => {
  const view = home({ services: undefined, jobs: undefined, problems: ["The service does not answer."] });

  expect(drawnHome(view)).toContain("⚠️ The service does not answer.\nWhat runs\nNot known.");
});

describe("the region", () => {
  test.each([
    ["beijing1", "beijing1 (the default)"],
    ["beijing2", "beijing2"],
    ["tokyo1", "tokyo1"],
  ])("%s is the one that is chosen", (region, shown) => {
    const view = home({ account: { owner: { kind: "user", userId: "U0DANA" }, username: "dana", region } });

    expectHomeTaken(view);
    expect(drawnHome(view)).toContain(`[${shown} ▾] [Connect another account]`);
  });
});

test("the buttons of Home do what those of cards do", () => {
  const view = home({ services: [{ name: "api", status: "Failed" }], waiting: [stored()], mine: [stored()] });

  const ids = JSON.stringify(view.blocks).matchAll(/"action_id":"([^"]+)"/gu);
  expect([...ids].map(([, id]) => id)).toEqual([
    "form:open:create",
    "form:open:show",
    "home:refresh",
    "home:do",
    "ask:0",
    "ask:1",
    "form:open:restart",
    "form:open:delete",
    "change:approve",
    "change:reject",
    "change:cancel",
    "home:region",
    "home:connect",
  ]);
});

test("2,000 services in trouble and 50 changes are drawn in no time, and fit", () => {
  const many = Array.from({ length: 50 }, () => stored({ diff: Array.from({ length: 50 }, () => "x".repeat(200)) }));
  const state = { services: entries(2000, "Failed"), jobs: entries(2000, "Failed"), waiting: many, mine: many };

  const view = home(state);

  expect(bestOf(5, () => home(state))).toBeLessThan(20 * slowness());
  expectHomeTaken(view);
  const text = drawnHome(view);
  expect(text).toContain("2,000 services in beijing1: 2,000 Failed");
  expect(text).toContain("3,990 more are in trouble");
  expect(text).toContain("44 more wait");
});

test("what policy would refuse this person is not offered on their Home", () => {
  const drawn = drawnHome(home({ services: [{ name: "api", status: "Failed" }], mayDo: new Map() }));

  expect(drawn).toContain("[Show]");
  expect(drawn).not.toMatch(/Restart|Delete|Logs/u);
});
