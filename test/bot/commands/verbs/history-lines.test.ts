import { describe, expect, test } from "vitest";
import { outcomeKinds } from "../../../../src/bot/changes/history-event.ts";
import type { StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import { historyText } from "../../../../src/bot/views/kit/history-line.ts";
import { drawn } from "../../views/support/drawn.ts";
import { answerTo, now } from "../support/script.ts";
import { event, waiting } from "../support/stored.ts";

const alex = { userId: "U0ALEX", name: "Alex Kim", at: now };
const tookEffect = { kind: "run", outcome: { kind: "done", after: undefined, alsoMoved: [] } } as const; // literal kinds

function request(more: Partial<StoredChange> = {}): StoredChange {
  return { ...waiting, diff: ["instances 2 → 3"], reason: undefined, votes: [], ...more };
}

function failed(why: string): StoredChange["ending"] {
  return { kind: "run", outcome: { kind: "failed", why, next: "Try again." } };
}

test("each request is one line that says how it ended, newest first, with real names", async () => {
  const at = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  const health = { kind: "reached", line: "3 of 3 running", excerpt: [] } as const; // a literal kind
  const glass = request({ state: "done", ending: tookEffect, health, reason: "the shop\nis down" });
  const lines = [
    event(6, {
      at: at(5),
      kind: "done",
      request: request({ state: "done", ending: tookEffect, health, votes: [alex] }),
    }),
    event(5, {
      at: at(12),
      kind: "failed",
      request: request({ state: "failed", ending: failed("Not enough memory.") }),
    }),
    event(4, { at: at(60), kind: "requested", request: request() }),
    event(3, {
      at: at(180),
      kind: "refused",
      who: { userId: "U0GWEN", name: "Gwen" },
      changeId: undefined,
      rule: "no guests",
    }),
    event(2, { at: at(2880), kind: "done", breakGlass: true, request: glass }),
    event(1, { kind: "connected", changeId: undefined, channelId: undefined, workload: undefined, result: "" }),
  ];

  expect(drawn(await answerTo("history", { events: lines }))).toMatchInlineSnapshot(`
    "History · newest first
    ✅ web scaled 2 → 3 · requested by Dana Reyes, approved by Alex Kim · 5m ago
    ❌ web wasn't scaled 2 → 3: not enough memory · requested by Dana Reyes · 12m ago
    ⏳ Scale web 2 → 3? 0 of 2 approvals · requested by Dana Reyes · 1h ago
    🚫 Gwen wasn't allowed to scale web · policy: no guests · 3h ago
    ✅ web scaled 2 → 3 · requested by Dana Reyes: “the shop, is down” · 🚨 break-glass · 2d ago
    🔑 Dana Reyes connected the account dana · 1d ago
    [Every step as a file]"
  `);
});

test("what nobody looked at any more is no success", () => {
  const health = { kind: "unwatched", line: "not followed after a restore", excerpt: [] } as const; // a literal kind
  const restored = event(1, { kind: "done", request: request({ state: "done", ending: tookEffect, health }) });

  expect(historyText(restored, { now, defaultRegion: "beijing1", detail: "brief" })).toBe(
    "🟡 web scaled 2 → 3 · not followed after a restore · Dana Reyes · 1d ago",
  );
});

test("what was deleted before its status could be read is neither well nor in trouble", () => {
  const health = { kind: "not-yet", line: "couldn't read it: HTTP 403", gone: "deleted", excerpt: [] } as const; // a literal kind
  const deleted = event(1, { kind: "done", request: request({ state: "done", ending: tookEffect, health }) });

  expect(historyText(deleted, { now, defaultRegion: "beijing1", detail: "brief" })).toBe(
    "⚪️ web scaled 2 → 3 · was deleted meanwhile · couldn't read it: HTTP 403 · Dana Reyes · 1d ago",
  );
});

test("in brief, a line names who asked, but nobody for an automatic way back", () => {
  const brief = { now, defaultRegion: "beijing1", detail: "brief" } as const; // a literal detail
  const health = { kind: "reached", line: "running", excerpt: [] } as const; // a literal kind
  const back = request({ verb: "rollback", state: "done", ending: tookEffect, health, diff: [] });
  const said = (more: Partial<StoredChange>): string =>
    historyText(event(1, { at: now, kind: "done", request: { ...back, ...more } }), brief);

  expect(said({})).toBe("✅ web updated · Dana Reyes · 0s ago");
  expect(said({ wayBackOf: "7KQ2MD" })).toBe("✅ web updated · automatic · 0s ago");
});

test("a deployment that doesn't get ready is red until it went back", () => {
  const outcome = "its new instances don't get ready";
  const health = { kind: "trouble", outcome, line: "1 old instance still serves", excerpt: [] } as const; // a literal kind
  const stuck = request({ verb: "deploy", state: "done", ending: tookEffect, health, diff: ["image app:1 → app:2"] });
  const back = { by: undefined, diff: [], at: undefined, line: "" };
  const said = (wayBack: StoredChange["wayBack"]): string =>
    historyText(event(1, { at: now, kind: "done", request: { ...stuck, wayBack } }), {
      now,
      defaultRegion: "beijing1",
      detail: "brief",
    });

  expect(said(undefined)).toBe(
    "🔴 web updated: image app:1 → app:2 · its new instances don't get ready · 1 old instance still serves · Dana Reyes · 0s ago",
  );
  expect(said({ ...back, state: "going" })).toBe(
    "🔴 web updated: image app:1 → app:2 · it goes back, because its new instances don't get ready · 1 old instance still serves · Dana Reyes · 0s ago",
  );
  expect(said({ ...back, state: "gone" })).toBe(
    "❌ web updated: image app:1 → app:2 · it went back, because its new instances don't get ready · Dana Reyes · 0s ago",
  );
});

test("a deployment is told by its images, whole digests shortened, and not by what would have followed", async () => {
  const image = `shop/web@sha256:${"0123456789abcdef".repeat(4)}`;
  const diff = [
    `image shop/web:1.4 → ${image}`,
    "back to revision 1 automatically if the new instances don't get ready",
  ];
  const deployed = request({ verb: "deploy", diff, state: "done", ending: tookEffect });

  const text = drawn(await answerTo("history web", { events: [event(1, { kind: "done", request: deployed })] }));

  expect(text.split("\n")[1]).toBe(
    "🔄 web updated: image shop/web:1.4 → shop/web@sha256:0123456789ab · requested by Dana Reyes · 1d ago",
  );
});

test("a message that isn't redrawn doesn't show health that was still being checked", () => {
  const watching = {
    kind: "watching",
    level: "healthy",
    line: "3 of 3 ready, watching for 60 s",
    excerpt: [],
  } as const; // literals
  const line = (more: Partial<StoredChange>): string => {
    const done = event(1, { kind: "done", request: request({ state: "done", ending: tookEffect, ...more }) });
    return historyText(done, { defaultRegion: "beijing1", detail: "brief" });
  };

  expect(line({ progress: watching })).toMatch(/^• web scaled 2 → 3 · Dana Reyes · /u);
  expect(line({ health: { ...watching, kind: "reached" } })).toMatch(/^✅ web scaled 2 → 3 · Dana Reyes · /u);
});

test("the erasure of a person's data is told by their pseudonym", async () => {
  const nothing = { who: undefined, changeId: undefined, channelId: undefined, workload: undefined, verb: undefined };
  const lines = [event(1, { ...nothing, kind: "erased", account: undefined, result: "erased-Zk3x9_aB-c" })];

  expect(drawn(await answerTo("history", { events: lines }))).toContain("➖ The data of erased-Zk3x9_aB-c was erased");
});

describe("every state of a request has its words, and none looks better than it is", () => {
  const by = { userId: "U0ALEX", name: "Alex Kim" };
  const asked = { kind: "run", outcome: { kind: "asked", after: undefined, why: "" } } as const; // literal kinds
  const health = (kind: "trouble" | "not-yet" | "reached", line: string) => ({ kind, line, excerpt: [] });
  test.each<[string, Partial<StoredChange>]>([
    ["⏳ Scale web 2 → 3? 0 of 2 approvals", { state: "pending" }],
    ["⏳ Scale web 2 → 3, waits for its turn", { state: "approved" }],
    ["🔄 Scaling web 2 → 3", { state: "claimed" }],
    ["🔄 web scaled 2 → 3", { state: "done", ending: tookEffect }],
    ["✅ web scaled 2 → 3", { state: "done", ending: tookEffect, health: health("reached", "3 of 3 running") }],
    [
      "✅ web restarted",
      { verb: "restart", state: "done", ending: asked, health: health("reached", "3 of 3 running") },
    ],
    ["🟡 Restart web: accepted, not visible yet", { verb: "restart", state: "done", ending: asked }],
    [
      "⚪️ Scale web 2 → 3: accepted, but it was changed again meanwhile",
      { state: "done", ending: asked, health: { ...health("not-yet", ""), outcome: "was changed again meanwhile" } },
    ],
    [
      "🔴 web scaled 2 → 3 · web-2 crashes",
      { state: "done", ending: tookEffect, health: health("trouble", "web-2 crashes") },
    ],
    [
      "⚪️ web scaled 2 → 3 · was rolled back by request 9XK2P7 meanwhile",
      {
        state: "done",
        ending: tookEffect,
        health: {
          ...health("not-yet", ""),
          outcome: "was changed again meanwhile",
          overtakenBy: { id: "9XK2P7", verb: "rollback" },
        },
      },
    ],
    [
      "🟡 web scaled 2 → 3 · still starting",
      { state: "done", ending: tookEffect, health: health("not-yet", "still starting") },
    ],
    [
      "✅ web updated: memory 512 → 1024 MiB",
      {
        verb: "memory",
        diff: ["memory 512 → 1024 MiB"],
        state: "done",
        ending: tookEffect,
        health: health("reached", ""),
      },
    ],
    ["❌ web wasn't created: unknown image", { verb: "create", state: "failed", ending: failed("unknown image.") }],
    ["❓ Checking whether web was scaled", { state: "unknown" }],
    ["❓ Can't tell whether web was scaled", { state: "unknown", settledAt: now }],
    [
      "🚫 web wasn't scaled 2 → 3: rejected by Alex Kim, “not today”",
      { state: "rejected", ending: { kind: "rejected", by, reason: "not today" } },
    ],
    [
      "🚫 web wasn't deleted: cancelled by Alex Kim",
      { verb: "delete", diff: [], state: "cancelled", ending: { kind: "cancelled", by } },
    ],
    [
      "⌛ web wasn't stopped: not approved in time",
      { verb: "stop", state: "expired", ending: { kind: "expired", was: "pending" } },
    ],
    [
      "⌛ web wasn't started: not run in time",
      { verb: "start", state: "expired", ending: { kind: "expired", was: "approved" } },
    ],
    [
      "⚠️ web wasn't scaled 2 → 3: it changed while the request waited",
      { state: "drifted", ending: { kind: "drifted", drift: [] } },
    ],
  ])("%s", async (line, more) => {
    const text = drawn(await answerTo("history", { events: [event(1, { kind: "done", request: request(more) })] }));

    const asker = more.state === "cancelled" ? "" : " · requested by Dana Reyes";
    expect(text.split("\n")[1]).toBe(`${line}${asker} · 1d ago`);
  });
});

test("a row without its request says what is known, for every kind of outcome", async () => {
  const resultOf = (kind: string): string => (kind === "handed-over" ? "to Alex Kim" : "");
  const all = outcomeKinds.map((kind, at) => event(at + 1, { kind, result: resultOf(kind) })).reverse();

  // A page has twenty rows.
  const pages = [all.slice(0, 15), all.slice(15)].map((events) => answerTo("history", { events }));
  expect((await Promise.all(pages)).map(({ text }) => text).join("\n")).toMatchInlineSnapshot(`
    "History · newest first
    ⏳ Scale web · 1d ago
    ⏳ Scale web · 1d ago
    ⏳ Scale web · 1d ago
    👋 Dana Reyes no longer takes care of web · 1d ago
    👋 Dana Reyes handed over web to Alex Kim · 1d ago
    👋 Dana Reyes takes care of web · 1d ago
    🔔 Dana Reyes unmuted web · 1d ago
    🔕 Dana Reyes muted web · 1d ago
    🔕 Dana Reyes no longer watches web · 1d ago
    🔔 Dana Reyes watches web · 1d ago
    ⏳ Scale web · 1d ago
    ⏳ Scale web · 1d ago
    ⏳ Scale web · 1d ago
    ⏳ Scale web · 1d ago
    🚫 Dana Reyes wasn't allowed to scale web · policy: hurts · 1d ago
    History · newest first
    ❓ Can't tell whether web was scaled · 1d ago
    ❌ web wasn't scaled · 1d ago
    ✅ web scaled · 1d ago
    ⚠️ web wasn't scaled: it changed while the request waited · 1d ago
    ⌛ web wasn't scaled: not approved or not run in time · 1d ago
    🚫 web wasn't scaled: cancelled by Dana Reyes · 1d ago
    🚫 web wasn't scaled: rejected by Dana Reyes · 1d ago
    ⏳ Scale web · requested by Dana Reyes · 1d ago"
  `);
});
