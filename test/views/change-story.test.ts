import { expect, test } from "vitest";
import { excerptReply, storyReply } from "../../src/views/cards/change-story.ts";
import { alex, dana, ended, event, moved, names, omar, run, stored } from "./support/stored-changes.ts";
import { drawn, mentioned } from "./support/drawn.ts";

const nothing = { text: "", blocks: [] };
const accepted = run({ kind: "asked", after: undefined, why: "It does not show yet." });

test("the thread tells request, votes, run and result with real names", () => {
  const change = ended("done", { votes: [alex, omar] });
  const events = [
    event("requested", { who: dana, result: "instances 6 → 2" }),
    event("voted", { who: alex }),
    event("voted", { who: omar }),
    event("approved"),
    event("claimed"),
    event("done", { result: "took effect" }),
  ];

  const reply = storyReply(events, { change, names }) ?? nothing;

  expect(drawn(reply)).toMatchInlineSnapshot(`
    "🙋 @dana requested: scale web to 2 · instances 6 → 2 · "Black Friday is over"
    👍 Alex Kim approved it (1 of 2)
    👍 Omar Haddad approved it (2 of 2)
    ✅ Approved
    🔄 Running with account team
    ✅ Took effect 42 s after the request"
  `);
  expect(reply.text).toBe(drawn(reply).replace("@dana", "Dana Reyes"));
  expect(mentioned(reply)).toEqual(["@dana"]);
});

test.each([
  ["rejected", event("rejected", { who: alex, result: "Not\ntoday" }), "🚫 Alex Kim rejected it: Not today"],
  ["cancelled", event("cancelled", { who: dana }), "🚫 Dana Reyes cancelled it"],
  ["expired", event("expired", { result: "nobody decided in time" }), "⌛ Expired: nobody decided in time"],
  [
    "failed",
    event("failed", { result: "No.", reference: "ab12" }),
    "❌ Failed 42 s after the request: No. · Reference ab12",
  ],
  ["unknown", event("unknown", { result: "Time out." }), "❓ No clear answer 42 s after the request: Time out."],
  ["health", event("health", { result: "web keeps restarting" }), "🔴 web keeps restarting"],
])("%s is told", (_kind, happened, expected) => {
  const reply = storyReply([happened], { change: stored() });

  expect(drawn(reply ?? nothing)).toBe(expected);
});

test("what the service only accepted is not told as done", () => {
  const reply = storyReply([event("done", { result: "It does not show yet." })], {
    change: ended("done", { ending: accepted }),
  });

  expect(drawn(reply ?? nothing)).toBe("🔄 The workload API accepted it 42 s after the request");
});

test("what moved stands below the line that says so", () => {
  const drift = [moved("instances", ["6", "8", "2"])];
  const change = ended("drifted", { ending: { kind: "drifted", drift } });

  const reply = storyReply([event("drifted", { result: "instances: 6 then, 8 now" })], { change });

  expect(drawn(reply ?? nothing)).toMatchInlineSnapshot(`
    "⚠️ The workload changed while this waited. Nothing was run.
    • instances: 6 when requested → 8 now; the request was for 2"
  `);
});

test("broken glass is marked in the thread too", () => {
  const change = stored({ terms: undefined, breakGlass: true, state: "approved" });

  const reply = storyReply([event("requested", { who: dana, breakGlass: true }), event("approved")], { change });

  expect(drawn(reply ?? nothing)).toMatchInlineSnapshot(
    `"🚨 @dana used break-glass: scale web to 2 · instances 6 → 2 · "Black Friday is over""`,
  );
});

test("of very much at once the newest is told", () => {
  const events = Array.from({ length: 14 }, (_, at) =>
    event("voted", { who: { userId: `U${at}`, name: `Voter ${at}` } }),
  );

  const lines = drawn(storyReply(events, { change: stored() }) ?? nothing).split("\n");

  expect([lines[0], lines.at(-1), lines.length]).toEqual([
    "6 earlier events: see the history.",
    "👍 Voter 13 approved it",
    9,
  ]);
});

const apart = ["refused", "vote-refused", "connected", "disconnected", "bound", "unbound"] as const; // literal kinds

test.each(apart)("%s is nothing for the thread", (kind) => {
  expect(storyReply([event(kind)], { change: stored() })).toBeUndefined();
});

test("the last lines of an instance in trouble are shown as they are", () => {
  const health = { kind: "trouble", line: "web-1 crashed", excerpt: ["starting", "boom `x` <!here>"] } as const;

  const reply = excerptReply(stored({ health }));

  expect(drawn(reply ?? nothing)).toMatchInlineSnapshot(`
    "Last lines · web-1 crashed
    \`\`\`
    starting
    boom \`x\` <!here>
    \`\`\`"
  `);
});

test("without lines there is no reply about them", () => {
  const health = { kind: "reached", line: "runs", excerpt: [] } as const;

  expect([excerptReply(stored()), excerptReply(stored({ health }))]).toEqual([undefined, undefined]);
});
