import { describe, expect, test } from "vitest";
import { homeView } from "../../../src/bot/views/home/view.ts";
import { drawnHome } from "./support/drawn.ts";
import { base, flaky, home, mayAll, running, workload } from "./support/home.ts";
import { expectHomeTaken } from "./support/judges.ts";
import { alex, ended, event, run, stored, tookEffect } from "./support/stored-changes.ts";
import { now } from "./support/workloads.ts";

test("Home begins with what needs somebody, and ends with the account", () => {
  const view = home({
    services: [
      workload("web", running, { size: "2 of 2" }),
      workload("api", ["busy", "updating"], {
        health: { level: "busy", words: "updating", since: "2026-11-21T11:55:00Z" },
      }),
      flaky,
      workload("old", ["idle", "stopped"], { size: "1 instance" }),
    ],
    jobs: [workload("nightly", ["idle", "complete"])],
    waiting: [
      stored({
        id: "AAAAAA",
        requester: { userId: "U0OMAR", name: "Omar Haddad" },
        verb: "restart",
        op: "restartService",
        diff: [],
        createdAt: new Date("2026-11-21T11:55:00Z"),
        reason: "orders time out",
      }),
    ],
    mine: [stored({ votes: [alex], expiresAt: new Date("2026-11-21T12:40:00Z") })],
    recent: [
      event("done", {
        at: new Date("2026-11-21T11:55:00Z"),
        request: ended("done", { diff: ["instances 2 → 3"], ending: tookEffect }),
      }),
      event("failed", {
        at: new Date("2026-11-21T11:48:00Z"),
        workload: { kind: "service", region: "beijing1", name: "shop" },
        request: ended("failed", {
          verb: "create",
          op: "createService",
          ending: run({ kind: "failed", why: "unknown image nginx:latest.", next: "Fix it." }),
        }),
      }),
    ],
    mayDo: mayAll("service/web", "service/api", "service/flaky", "service/old", "job/nightly"),
  });

  expectHomeTaken(view);
  expect(drawnHome(view)).toMatchInlineSnapshot(`
    "# 1 failing · 1 waits for you
    [Create] [Find workload] [Refresh] [More… ▾]
    # Needs attention
    🔴 flaky keeps crashing: 6 restarts in 4 min · exited with code 137 (out of memory)
    [Why] [… Show | Logs | Restart | Scale | Stop]
    🟡 api updating for 5m
    [Why] [… Show | Logs | Restart | Scale | Stop]
    # Waiting for you
    ⏳ Restart web
    Requested by Omar Haddad, 5m ago: “orders time out”
    0 of 2 approvals · expires in 60 min
    [Approve] [Reject]
    # Your requests
    ⏳ Scale web to 2
    1 of 2 approvals (Alex Kim) · expires in 40 min
    [Cancel request]
    # Workloads (beijing1)
    5 workloads · 1 failing · 1 busy · 1 healthy · 2 stopped or complete
    ⚪️ *nightly* complete · job
    [… Show | Logs | Delete]
    ⚪️ *old* stopped
    [… Show | Logs | Start | Scale | Delete]
    🟢 *web* 2 of 2
    [… Show | Logs | Restart | Scale | Stop]
    # Recent
    🔄 Scaling web to 3 · by Dana Reyes · 5m ago
    ❌ shop wasn't created: unknown image nginx:latest · asked by Dana Reyes · 12m ago
    [Full history]
    ────────
    Acting as team (workspace account) · default region beijing1 · jobs run in us
    [beijing1 (server default) ▾] [Connect your account]
    Updated 2026-11-21 12:00 UTC"
  `);
});

describe("before there is anything to show", () => {
  test("the first workload is one button away", () => {
    const view = home();

    expectHomeTaken(view);
    expect(drawnHome(view)).toMatchInlineSnapshot(`
      "[Find workload] [Refresh] [More… ▾]
      # Workloads (beijing1)
      No workloads yet. Create the first one: an image and a name are enough.
      [Create]
      ────────
      Acting as team (workspace account) · default region beijing1 · jobs run in us
      [beijing1 (server default) ▾] [Connect your account]
      Updated 2026-11-21 12:00 UTC"
    `);
  });

  test("a person who may not create isn't invited to", () => {
    const drawn = drawnHome(home({ verbs: [{ name: "show", summary: "Show one service or job" }] }));

    expect(drawn).toContain("No workloads that you can see.");
    expect(drawn).not.toContain("[Create]");
  });

  test("without an account, connecting one is the only thing to do", () => {
    const { account: _account, ...others } = base;

    const view = homeView({ ...others, accountProblem: "You have no account here, and the workspace has none." });

    expectHomeTaken(view);
    expect(drawnHome(view)).toMatchInlineSnapshot(`
      "[Refresh]
      # Connect your account
      You have no account here, and the workspace has none.
      [Connect your account] [What can Gantry do?]
      ────────
      Updated 2026-11-21 12:00 UTC"
    `);
  });
});

describe("while the workload API doesn't answer", () => {
  test("the first seconds say that workloads are being read", () => {
    const apiProblem = "The workload API hasn't answered yet.";
    const drawn = drawnHome(home({ services: undefined, jobs: undefined, isReading: true, apiProblem }));

    expect(drawn).toContain("# Workloads (beijing1)\nReading workloads…");
    expect(drawn).not.toContain(apiProblem);
  });

  test("what was read before is shown with its age", () => {
    const drawn = drawnHome(
      home({
        services: [workload("web", running, { size: "2 of 2" })],
        apiProblem: "Couldn't reach the workload API.",
        readAt: new Date(now.getTime() - 150_000),
      }),
    );

    expect(drawn).toContain("⚠️ Couldn't reach the workload API. Showing workloads as they were 2m ago.");
    expect(drawn).toContain("🟢 *web* 2 of 2");
  });

  test("without anything read before, nothing is claimed; what waits is shown all the same", () => {
    const drawn = drawnHome(
      home({
        services: undefined,
        jobs: undefined,
        apiProblem: "Couldn't reach the workload API.",
        waiting: [stored({ requester: alex })],
      }),
    );

    expect(drawn).toContain("⚠️ Couldn't reach the workload API.\n");
    expect(drawn).toContain("# Workloads (beijing1)\nUnknown right now.");
    expect(drawn).toContain("[Approve] [Reject]");
  });
});

describe("the region", () => {
  test.each([
    ["beijing1", "beijing1 (server default)"],
    ["beijing2", "beijing2"],
    ["tokyo1", "tokyo1"],
  ])("%s is the chosen one", (region, shown) => {
    const view = home({
      account: { owner: { kind: "user", userId: "U0DANA" }, username: "dana", region, jobsRegion: "us" },
    });

    expectHomeTaken(view);
    expect(drawnHome(view)).toContain(`[${shown} ▾] [Connect another account]`);
  });
});

test("the buttons of Home do the same as those of cards and messages", () => {
  const view = home({ services: [flaky], waiting: [stored()], mine: [stored({ id: "BBBBBB" })] });

  const ids = JSON.stringify(view.blocks).matchAll(/"action_id":"([^"]+)"/gu);
  expect([...ids].map(([, id]) => id)).toEqual([
    "form:open:create@team",
    "form:open:show@team",
    "home:refresh",
    "home:do",
    "ask:0@team",
    "home:workload@team",
    "change:approve",
    "change:reject",
    "change:cancel",
    "home:region",
    "home:connect",
  ]);
});
