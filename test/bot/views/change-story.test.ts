import { expect, test } from "vitest";
import { storyReply, wentBackReply } from "../../../src/bot/views/cards/change-story.ts";
import { alex, dana, ended, event, moved, names, omar, run, stored } from "./support/stored-changes.ts";
import { drawn, mentioned } from "./support/drawn.ts";

const nothing = { text: "", blocks: [] };
const accepted = run({ kind: "asked", after: undefined, why: "It does not show yet." });

test("the thread tells how it ended, and mentions who asked; request, votes and run are on the card", () => {
  const health = { kind: "reached", line: "2 of 2 running", excerpt: [] } as const; // a literal kind
  const change = ended("done", { votes: [alex, omar], health });
  const events = [
    event("requested", { who: dana, result: "instances 6 → 2" }),
    event("voted", { who: alex }),
    event("voted", { who: omar }),
    event("approved"),
    event("claimed"),
    event("done", { result: "took effect" }),
  ];

  const reply = storyReply(events, { change, names }) ?? nothing;

  expect(drawn(reply)).toMatchInlineSnapshot(`"✅ web scaled to 2 · @dana"`);
  expect(reply.text).toBe(drawn(reply).replace("@dana", "Dana Reyes"));
  expect(mentioned(reply)).toEqual(["@dana"]);
});

test.each([
  ["rejected", event("rejected", { who: alex, result: "Not\ntoday" }), "🚫 Alex Kim rejected it: Not today · @dana"],
  ["cancelled", event("cancelled", { who: dana }), "🚫 Dana Reyes cancelled it"],
  ["expired", event("expired", { result: "nobody decided in time" }), "⌛ Expired: nobody decided in time · @dana"],
  [
    "failed",
    event("failed", { result: "No.", reference: "ab12" }),
    "❌ Failed 42 s after the request: No. · Reference ab12 · @dana",
  ],
  [
    "unknown",
    event("unknown", { result: "Time out." }),
    "❓ No clear answer 42 s after the request: Time out. · @dana",
  ],
  ["health", event("health", { result: "web keeps restarting" }), "🔴 web keeps restarting · @dana"],
])("%s is told", (_kind, happened, expected) => {
  const reply = storyReply([happened], { change: stored() });

  expect(drawn(reply ?? nothing)).toBe(expected);
});

test("what the service only accepted is not told as done", () => {
  const reply = storyReply([event("done", { result: "It does not show yet." })], {
    change: ended("done", { ending: accepted }),
  });

  expect(drawn(reply ?? nothing)).toBe("🟡 Scale web to 2: accepted, not visible yet · @dana");
});

test("of what was accepted and then failed, only the failure is told", () => {
  const events = [event("done"), event("confirmed"), event("health", { result: "web keeps restarting" })];

  expect(drawn(storyReply(events, { change: stored() }) ?? nothing)).toBe("🔴 web keeps restarting · @dana");
});

const stuck = ended("done", {
  verb: "deploy",
  diff: ["image shop/web:1.4 → shop/web:1.5"],
  health: {
    kind: "trouble",
    outcome: "its new instances don't get ready",
    line: "3 old instances still serve",
    excerpt: [],
  },
});

test.each([
  ["gone", "3 of 3 running", "🟢 web stays on :1.4, because :1.5 didn't get ready · 3 of 3 running · @dana"],
  ["failing", "keeps crashing", "🔴 web isn't healthy on :1.4 either · keeps crashing · @dana"],
  [
    "unclear",
    "isn't running yet",
    "🔴 web may be back on :1.4, because :1.5 didn't get ready · isn't running yet · @dana",
  ],
] as const)("a way back that is %s is told to who asked for the deploy", (state, line, expected) => {
  const diff = ["image shop/web:1.5 → shop/web:1.4"];
  const change = { ...stuck, wayBack: { state, by: undefined, diff, at: undefined, line } };

  expect(drawn(wentBackReply(change, { change }) ?? nothing)).toBe(expected);
});

test("what moved stands below the line that says so", () => {
  const drift = [moved("instances", ["6", "8", "2"])];
  const change = ended("drifted", { ending: { kind: "drifted", drift } });

  const reply = storyReply([event("drifted", { result: "instances: 6 then, 8 now" })], { change });

  expect(drawn(reply ?? nothing)).toMatchInlineSnapshot(`
    "⚠️ The workload changed while this waited. Nothing was run. · @dana
    • instances: 6 when requested → 8 now; the request was for 2"
  `);
});

test.each(["requested", "voted", "approved", "claimed"] as const)(
  "%s is on the card, so the thread stays as it is",
  (kind) => {
    expect(storyReply([event(kind, { who: dana })], { change: stored() })).toBeUndefined();
  },
);

test("who cancels their own request isn't told about it", () => {
  expect(mentioned(storyReply([event("cancelled", { who: dana })], { change: stored() }) ?? nothing)).toEqual([]);
  expect(mentioned(storyReply([event("cancelled", { who: alex })], { change: stored() }) ?? nothing)).toEqual([
    "@dana",
  ]);
});

test("of very much at once the newest is told", () => {
  const events = Array.from({ length: 14 }, (_, at) => event("health", { result: `web-${at} crashed` }));

  const lines = drawn(storyReply(events, { change: stored() }) ?? nothing).split("\n");

  expect([lines[0], lines.at(-1), lines.length]).toEqual([
    "6 earlier events: see the history.",
    "🔴 web-13 crashed · @dana",
    9,
  ]);
});

const apart = ["refused", "vote-refused", "connected", "disconnected", "bound", "unbound", "watched", "muted"] as const; // literal kinds

test.each(apart)("%s is nothing for the thread", (kind) => {
  expect(storyReply([event(kind)], { change: stored() })).toBeUndefined();
});
