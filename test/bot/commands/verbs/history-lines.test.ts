import { describe, expect, test } from "vitest";
import { historyEventKinds, outcomeKinds } from "../../../../src/bot/changes/history-event.ts";
import { changeStates, type StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import { historyLine, historyText } from "../../../../src/bot/views/cards/history-line.ts";
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
    ✅ Scaled web to 3 · by Dana Reyes · was 2 · approved by Alex Kim · 5m ago
    ❌ web wasn't scaled: not enough memory · asked by Dana Reyes · 12m ago
    ⏳ Asked to scale web to 3 · by Dana Reyes · 0 of 2 approvals · 1h ago
    🚫 Refused: scale web · asked by Gwen · policy: no guests · 3h ago
    ✅ Scaled web to 3 · by Dana Reyes · 🚨 break-glass · was 2 · “the shop, is down” · 2d ago
    🔑 Connected the account dana · by Dana Reyes · 1d ago
    [Every step as a file]"
  `);
});

test("what nobody looked at any more is no success", () => {
  const health = { kind: "unwatched", line: "not followed after a restore", excerpt: [] } as const; // a literal kind
  const restored = event(1, { kind: "done", request: request({ state: "done", ending: tookEffect, health }) });

  expect(historyText(restored, { now, defaultRegion: "beijing1", detail: "brief" })).toBe(
    "🟡 Scaled web to 3, health unknown · by Dana Reyes · not followed after a restore · 1d ago",
  );
});

test("what was deleted before its status could be read is neither well nor in trouble", () => {
  const health = { kind: "not-yet", line: "couldn't read it: HTTP 403", gone: "deleted", excerpt: [] } as const; // a literal kind
  const deleted = event(1, { kind: "done", request: request({ state: "done", ending: tookEffect, health }) });

  expect(historyText(deleted, { now, defaultRegion: "beijing1", detail: "brief" })).toBe(
    "⚪️ Scaled web to 3, but it was deleted meanwhile · by Dana Reyes · 1d ago",
  );
});

test("in brief, a line names who asked, but nobody for an automatic way back", () => {
  const brief = { now, defaultRegion: "beijing1", detail: "brief" } as const; // a literal detail
  const health = { kind: "reached", line: "running", excerpt: [] } as const; // a literal kind
  const back = request({
    verb: "rollback",
    state: "done",
    ending: tookEffect,
    health,
    diff: ["back to version 1, with"],
  });
  const said = (more: Partial<StoredChange>): string =>
    historyText(event(1, { at: now, kind: "done", request: { ...back, ...more } }), brief);

  expect(said({})).toBe("✅ Rolled back web to version 1 · by Dana Reyes · 0s ago");
  expect(said({ wayBackOf: "7KQ2MD" })).toBe("✅ Rolled back web to version 1 · automatic · 0s ago");
});

test("a deployment that doesn't get ready is red until it went back", () => {
  const outcome = "its new instances don't get ready";
  const health = { kind: "trouble", outcome, line: "1 old instance still serves", excerpt: [] } as const; // a literal kind
  const stuck = request({ verb: "deploy", state: "done", ending: tookEffect, health, diff: ["image app:1 → app:2"] });
  const back = { by: undefined, diff: ["image app:2 → app:1"], at: undefined, line: "" };
  const said = (wayBack: StoredChange["wayBack"]): string =>
    historyText(event(1, { at: now, kind: "done", request: { ...stuck, wayBack } }), {
      now,
      defaultRegion: "beijing1",
      detail: "brief",
    });

  expect(said(undefined)).toBe("🔴 Deploying :2 to web: its new instances don't get ready · by Dana Reyes · 0s ago");
  expect(said({ ...back, state: "going" })).toBe(
    "🔴 web goes back to :1, because :2 didn't get ready · by Dana Reyes · 0s ago",
  );
  expect(said({ ...back, state: "failing" })).toBe("🔴 web isn't healthy on :1 either · by Dana Reyes · 0s ago");
  expect(said({ ...back, state: "unclear" })).toBe(
    "🔴 web may be back on :1, because :2 didn't get ready · by Dana Reyes · 0s ago",
  );
  expect(said({ ...back, state: "gone" })).toBe(
    "❌ web stays on :1, because :2 didn't get ready · by Dana Reyes · 0s ago",
  );
});

test("a deployment is told by its version, a whole digest shortened, and not by what would have followed", async () => {
  const image = `shop/web@sha256:${"0123456789abcdef".repeat(4)}`;
  const diff = [
    `image shop/web:1.4 → ${image}`,
    "back to version 1 automatically if the new instances don't get ready",
  ];
  const deployed = request({ verb: "deploy", diff, state: "done", ending: tookEffect });

  const text = drawn(await answerTo("history web", { events: [event(1, { kind: "done", request: deployed })] }));

  expect(text.split("\n")[1]).toBe("🔄 Deploying sha256:0123456789ab to web · by Dana Reyes · was :1.4 · 1d ago");
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

  expect(line({ progress: watching })).toMatch(/^• Scaled web to 3 · by Dana Reyes · /u);
  expect(line({ health: { ...watching, kind: "reached" } })).toMatch(/^✅ Scaled web to 3 · by Dana Reyes · /u);
});

test("the erasure of a person's data is told by their pseudonym", async () => {
  const nothing = { who: undefined, changeId: undefined, channelId: undefined, workload: undefined, verb: undefined };
  const lines = [event(1, { ...nothing, kind: "erased", account: undefined, result: "erased-Zk3x9_aB-c" })];

  expect(drawn(await answerTo("history", { events: lines }))).toContain("➖ Erased the data of erased-Zk3x9_aB-c");
});

describe("every state of a request has its words, and none looks better than it is", () => {
  const by = { userId: "U0ALEX", name: "Alex Kim" };
  const asked = { kind: "run", outcome: { kind: "asked", after: undefined, why: "" } } as const; // literal kinds
  const health = (kind: "trouble" | "not-yet" | "reached", line: string) => ({ kind, line, excerpt: [] });
  test.each<[string, Partial<StoredChange>]>([
    ["⏳ Asked to scale web to 3 · by Dana Reyes · 0 of 2 approvals", { state: "pending" }],
    [
      "⏳ Asked to change domains of web: adds a.example.com · by Dana Reyes · 0 of 2 approvals",
      { verb: "domains", diff: ["adds a.example.com"], state: "pending" },
    ],
    ["⏳ Asked to delete web · by Dana Reyes · waits for its turn", { op: "deleteService", state: "approved" }],
    ["🔄 Scaling web to 3 · by Dana Reyes", { state: "claimed" }],
    ["🔄 Scaling web to 3 · by Dana Reyes · was 2", { state: "done", ending: tookEffect }],
    [
      "✅ Scaled web to 3 · by Dana Reyes · was 2",
      { state: "done", ending: tookEffect, health: health("reached", "3 of 3 running") },
    ],
    [
      "✅ Deployed :2 to web · by Dana Reyes · was :1",
      {
        verb: "deploy",
        diff: ["image app:1 → app:2"],
        state: "done",
        ending: tookEffect,
        health: health("reached", "3 of 3 running"),
      },
    ],
    [
      "✅ Restarted web · by Dana Reyes",
      { op: "restartService", state: "done", ending: asked, health: health("reached", "3 of 3 running") },
    ],
    [
      "🟡 Restart web: accepted, not visible yet · by Dana Reyes",
      { op: "restartService", state: "done", ending: asked },
    ],
    [
      "⚪️ Scale web to 3: accepted, but it was changed again meanwhile · by Dana Reyes",
      { state: "done", ending: asked, health: { ...health("not-yet", ""), outcome: "was changed again meanwhile" } },
    ],
    [
      "🔴 Scaled web to 3, but it keeps crashing · by Dana Reyes · was 2",
      { state: "done", ending: tookEffect, health: { ...health("trouble", "exit 3"), outcome: "keeps crashing" } },
    ],
    [
      "⚪️ Scaled web to 3, but it was rolled back by request 9XK2P7 meanwhile · by Dana Reyes",
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
      "🟡 Scaled web to 3, health unknown · by Dana Reyes · still starting · was 2",
      { state: "done", ending: tookEffect, health: health("not-yet", "still starting") },
    ],
    [
      "✅ Set memory of web to 1024 MiB · by Dana Reyes · was 512 MiB",
      {
        verb: "memory",
        diff: ["memory 512 → 1024 MiB"],
        state: "done",
        ending: tookEffect,
        health: health("reached", ""),
      },
    ],
    [
      "❌ web wasn't created: unknown image · asked by Dana Reyes",
      { op: "createService", state: "failed", ending: failed("unknown image.") },
    ],
    ["❓ Checking whether web was scaled · asked by Dana Reyes", { state: "unknown" }],
    ["❓ Can't tell whether web was scaled · asked by Dana Reyes", { state: "unknown", settledAt: now }],
    [
      "🚫 Rejected: scale web to 3 · by Alex Kim · “not today” · asked by Dana Reyes",
      { state: "rejected", ending: { kind: "rejected", by, reason: "not today" } },
    ],
    [
      "🚫 Cancelled: delete web · by Alex Kim · asked by Dana Reyes",
      { op: "deleteService", diff: [], state: "cancelled", ending: { kind: "cancelled", by } },
    ],
    ["🚫 Not run: scale web to 3 · asked by Dana Reyes", { state: "cancelled", ending: undefined }],
    [
      "⌛ Expired: stop web · asked by Dana Reyes · not approved in time",
      { op: "stopService", state: "expired", ending: { kind: "expired", was: "pending" } },
    ],
    [
      "⌛ Expired: start web · asked by Dana Reyes · not run in time",
      { op: "startService", state: "expired", ending: { kind: "expired", was: "approved" } },
    ],
    [
      "⚠️ Not run: scale web to 3, because it changed meanwhile · asked by Dana Reyes",
      { state: "drifted", ending: { kind: "drifted", drift: [] } },
    ],
  ])("%s", async (line, more) => {
    const text = drawn(await answerTo("history", { events: [event(1, { kind: "done", request: request(more) })] }));

    expect(text.split("\n")[1]).toBe(`${line} · 1d ago`);
  });
});

test("the name stands out where it is, also when it is a word of its sentence", () => {
  const bold = (name: string): unknown => {
    const named = request({ workload: { kind: "service", region: "beijing1", name, uid: "u1" } });
    const row = event(1, { at: now, workload: named.workload, request: named });
    return historyLine(row, { now, defaultRegion: "beijing1", detail: "brief" });
  };

  for (const name of ["to", "scale", "web"]) {
    expect(bold(name)).toMatchObject([
      { text: "⏳ Asked to scale " },
      { text: name },
      { text: expect.stringMatching(/^ to 3 · by /u) },
    ]);
  }
});

test("a line has at most 100 characters, and names the workload, the person and the time", () => {
  const long = "payments-worker-of-the-european-shop-in-blue";
  const who = { userId: "U0MAX", name: "Maximiliane Kirchberg-Oppenheimer" };
  const image = (tag: string): string => `registry.example.com:5000/a-team/of-many/names/payments-worker:${tag}`;
  const text = "the queue grew by a thousand orders an hour, and nobody knew why, until somebody did";
  const outcome = "its new instances can't pull their images, because the registry doesn't know them";
  const health = { kind: "trouble", level: "failing", outcome, line: text, excerpt: [] } as const; // literals
  const endings: readonly Partial<StoredChange>[] = [
    { ending: tookEffect, health },
    { ending: failed(text) },
    { ending: { kind: "rejected", by: who, reason: text } },
    { ending: { kind: "cancelled", by: who } },
    { ending: { kind: "expired", was: "pending" } },
    { ending: { kind: "drifted", drift: [] } },
    { ending: tookEffect, health: { ...health, kind: "not-yet", overtakenBy: { id: "9XK2P7", verb: "rollback" } } },
    { ending: undefined },
  ];
  const changes: readonly Partial<StoredChange>[] = [
    { verb: "deploy", diff: [`image ${image("1.4-alpine")} → other.${image("1.5-alpine")}`] },
    { verb: "scale", diff: ["instances 2 → 3"] },
    { verb: "domains", diff: [`adds ${long}.example.com`, `removes ${long}.example.com`, "a", "b"] },
    { op: "createJob", diff: [], workload: { kind: "job", region: "", name: long, uid: undefined } },
    { op: "deleteService", diff: [] },
  ];
  const base = { requester: who, reason: text, votes: [{ ...who, at: now }, alex, alex, alex] };
  const workload = { kind: "service", region: "a-region-with-a-long-name", name: long } as const; // a literal kind
  const requests = changes.flatMap((change) =>
    endings.flatMap((ending) =>
      changeStates.map((state) =>
        request({ workload: { ...workload, uid: "u1" }, ...base, ...change, ...ending, state }),
      ),
    ),
  );
  const shared = {
    who,
    result: text,
    rule: text,
    reference: "0123456789",
    breakGlass: true,
    account: "somebody-elses",
  };
  const rows = [
    ...historyEventKinds
      .filter((kind) => !/bound|install|connected|erased/u.test(kind))
      .map((kind) => event(1, { ...shared, kind, workload, verb: "rollback" })),
    ...historyEventKinds.map((kind) => event(1, { ...shared, kind, workload: undefined, verb: "logs" })),
    ...requests.map((each) => event(1, { ...shared, kind: "done", workload: each.workload, request: each })),
  ];
  for (const detail of ["brief", "full"] as const) {
    for (const row of rows) {
      const drawing = { defaultRegion: "beijing1", account: "dana", detail };
      for (const line of [historyText(row, { ...drawing, now }), historyText(row, drawing)]) {
        expect(line.length, line).toBeLessThanOrEqual(100);
        expect(line).toMatch(/ago$|UTC$/u);
        if (row.workload !== undefined) expect(line).toContain("-blue");
        if (row.request !== undefined) expect(line).toMatch(/by Maximiliane Kir|automatic/u);
      }
    }
  }
});

test("a row without its request says what is known, for every kind of outcome", async () => {
  const results: Readonly<Record<string, string>> = { erased: "erased-Zk3x9", "handed-over": "to Alex Kim" };
  const all = outcomeKinds.map((kind, at) => event(at + 1, { kind, result: results[kind] ?? "" })).reverse();

  // A page has twenty rows.
  const pages = [all.slice(0, 15), all.slice(15)].map((events) => answerTo("history", { events }));
  expect((await Promise.all(pages)).map(({ text }) => text).join("\n")).toMatchInlineSnapshot(`
    "History · newest first
    ➖ Erased the data of erased-Zk3x9 · 1d ago
    ➖ Removed Gantry from this workspace · 1d ago
    ➕ Installed Gantry in this workspace · 1d ago
    👋 No longer takes care of web · by Dana Reyes · 1d ago
    👋 Handed over web to Alex Kim · by Dana Reyes · 1d ago
    👋 Took care of web · by Dana Reyes · 1d ago
    🔔 Unmuted web · by Dana Reyes · 1d ago
    🔕 Muted web · by Dana Reyes · 1d ago
    🔕 Stopped watching web · by Dana Reyes · 1d ago
    🔔 Began to watch web · by Dana Reyes · 1d ago
    📌 Removed the binding of a channel · by Dana Reyes · 1d ago
    📌 Set up a channel · by Dana Reyes · 1d ago
    🔑 Disconnected the account dana · by Dana Reyes · 1d ago
    🔑 Connected the account dana · by Dana Reyes · 1d ago
    🚫 Refused: scale web · asked by Dana Reyes · policy: hurts · 1d ago
    History · newest first
    ❓ Can't tell whether web was scaled · 1d ago
    ❌ web wasn't scaled · 1d ago
    ✅ Scaled web · 1d ago
    ⚠️ Not run: scale web, because it changed meanwhile · 1d ago
    ⌛ Expired: scale web · 1d ago
    🚫 Cancelled: scale web · by Dana Reyes · 1d ago
    🚫 Rejected: scale web · by Dana Reyes · 1d ago
    ⏳ Asked to scale web · by Dana Reyes · 1d ago"
  `);
});
