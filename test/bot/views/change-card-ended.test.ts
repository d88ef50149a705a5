import { newsPost } from "../../../src/bot/views/messages/request-answers.ts";
import { redactLines } from "../../../src/bot/logs/redact.ts";
import { describe, expect, test } from "vitest";
import type { Ending, StoredChange } from "../../../src/bot/changes/stored-change.ts";
import { changeCard, type ChangeCard, retiredCard } from "../../../src/bot/views/cards/change-card.ts";
import type { Post } from "../../../src/bot/views/kit/post.ts";
import {
  alex,
  dana,
  ended,
  inDoubt,
  moved,
  names,
  omar,
  run,
  stored,
  terms,
  tookEffect,
} from "./support/stored-changes.ts";
import { drawn } from "./support/drawn.ts";

function card(change: StoredChange, more: Partial<ChangeCard> = {}): Post {
  return changeCard({ change, defaultRegion: "beijing1", canUndo: false, names, ...more });
}

describe("a card that came to its end", () => {
  test("done: what changed, who approved it, how it is now, and Undo", () => {
    const health = { kind: "reached", line: "2 of 2 instances run after 12 s", excerpt: [] } as const;
    const change = ended("done", { ending: tookEffect, votes: [alex, omar], health });

    const post = card(change, { canUndo: true });

    expect(drawn(post)).toMatchInlineSnapshot(`
      "✅ web scaled to 2
      2 of 2 instances run after 12 s · instances 6 → 2
      Requested by @dana: "Black Friday is over" · approved by Alex Kim, Omar Haddad
      7K3M9Q · policy: disruptive-needs-on-call
      [Undo] [Logs] [Show] [… Tell me here]"
    `);
    expect(post.text).toMatchInlineSnapshot(`
      "✅ web scaled to 2
      2 of 2 instances run after 12 s · instances 6 → 2
      Requested by Dana Reyes: "Black Friday is over" · approved by Alex Kim, Omar Haddad
      7K3M9Q · policy: disruptive-needs-on-call"
    `);
  });

  test("done once undone, or without an inverse: no Undo", () => {
    const change = ended("done", { ending: tookEffect });

    const posts = [card({ ...change, isUndone: true }, { canUndo: true }), card(change)];

    expect(drawn(card(change, { canUndo: true }))).toContain("[Undo");
    for (const each of posts.map(drawn)) {
      expect(each).toContain(change.id);
      expect(each).not.toContain("[Undo");
    }
  });

  test("done a moment ago: it is being followed, unless it was deleted", () => {
    const change = ended("done", { ending: tookEffect });

    expect(drawn(card(change))).toMatch(/^🔄 Scaling web to 2…\nInstances 6 → 2\n/u);
    expect(drawn(card({ ...change, verb: "delete", op: "deleteService" }))).toMatch(/^✅ web deleted\n/u);
  });

  test("accepted, but deleted before it was visible: not in progress any more, and without Show and Logs", () => {
    const ending = run({
      kind: "asked",
      after: { uid: "u1", status: "Updating" },
      why: "Not visible yet: revision still 3.",
    });
    const health = { kind: "not-yet", level: "busy", outcome: "was deleted meanwhile", gone: "deleted" } as const;
    const rolling = { op: "updateService", verb: "rollback", ending } as const; // literals
    const change = ended("done", { ...rolling, health: { ...health, line: "", excerpt: [] } });
    const shown = drawn(card(change));

    expect(drawn(card(ended("done", rolling)))).toContain("🟡 Still ");
    expect(shown).toMatch(/^⚪️ Roll back web.*: accepted, but it was deleted meanwhile$/mu);
    expect(shown).not.toMatch(/\[(?:Logs|Show|Tell me here)|deleted since/u);
  });

  test("asked: accepted is not the same as done", () => {
    const ending = run({ kind: "asked", after: undefined, why: "A restart leaves no trace." });
    const health = { kind: "trouble", line: "web-1 crashed", excerpt: redactLines(["boom"]) } as const;

    const post = card(ended("done", { verb: "restart", op: "restartService", diff: ["restart"], ending, health }));

    expect(drawn(post)).toMatchInlineSnapshot(`
      "🔴 web restarted, but isn't running as it should
      web-1 crashed
      Requested by @dana: "Black Friday is over"
      Last lines
      \`\`\`
      boom
      \`\`\`
      7K3M9Q · policy: disruptive-needs-on-call
      [Logs] [Show] [Tell me here]"
    `);
  });

  test.each([
    ["keeps restarting", "it keeps restarting"],
    ["2 of 3 instances run", "2 of 3 instances run"],
    ["the new instances don't get ready", "the new instances don't get ready"],
  ])("accepted and unconfirmed: %s, in a complete sentence", (outcome, told) => {
    const ending = run({ kind: "asked", after: undefined, why: "It may have begun.", unseen: "restarts" });
    const health = { kind: "trouble", outcome, line: "", excerpt: [] } as const; // a literal kind
    const change = ended("done", { verb: "restart", op: "restartService", diff: ["restart"], ending, health });

    expect(drawn(card(change)).split("\n")[0]).toBe(`🔴 Restart of web accepted, but ${told}`);
  });

  test("failed: why, and what to do", () => {
    const ending = run({ kind: "failed", why: "The service refused the token.", next: "Renew it." });

    expect(drawn(card(ended("failed", { ending })))).toMatchInlineSnapshot(`
      "❌ web wasn't scaled
      The service refused the token.
      Nothing was changed. Renew it.
      Instances 6 → 2 · requested by @dana: "Black Friday is over"
      7K3M9Q · policy: disruptive-needs-on-call
      [Try again] [Logs] [Show]"
    `);
  });

  test("in doubt: what is not known, and buttons to check", () => {
    expect(drawn(card(ended("unknown", { ending: inDoubt })))).toMatchInlineSnapshot(`
      "❓ Can't tell whether web was scaled
      No answer came within 30 s.
      It is not sent again.
      Instances 6 → 2 · requested by @dana: "Black Friday is over"
      7K3M9Q · policy: disruptive-needs-on-call
      [Try again] [Show] [Logs]"
    `);
  });

  test("rejected: by whom and why", () => {
    const ending: Ending = { kind: "rejected", by: alex, reason: "Not today.\n\nAsk on Monday." };

    const post = card(ended("rejected", { ending }));

    expect(drawn(post)).toMatchInlineSnapshot(`
      "🚫 Rejected: scale web to 2
      Rejected by Alex Kim: "Not today. Ask on Monday." · nothing was changed
      Instances 6 → 2 · requested by @dana: "Black Friday is over"
      7K3M9Q · policy: disruptive-needs-on-call"
    `);
    expect(post.text).toContain('Rejected by Alex Kim: "Not today. Ask on Monday." · nothing was changed');
  });

  test("rejected without a reason", () => {
    const post = card(ended("rejected", { ending: { kind: "rejected", by: alex, reason: undefined } }));

    expect(drawn(post)).toContain("\nRejected by Alex Kim · nothing was changed\n");
  });

  test("cancelled", () => {
    expect(drawn(card(ended("cancelled", { ending: { kind: "cancelled", by: dana } })))).toMatchInlineSnapshot(`
      "🚫 Cancelled: scale web to 2
      Cancelled by Dana Reyes · nothing was changed
      Instances 6 → 2 · requested by @dana: "Black Friday is over"
      7K3M9Q · policy: disruptive-needs-on-call"
    `);
  });

  test.each([
    ["pending", terms, "Not enough approvals in time · nothing was changed"],
    ["approved", terms, "Approved, but it couldn't start in time · nothing was changed"],
    ["approved", undefined, "It couldn't start in time · nothing was changed"],
  ] as const)("expired while it was %s", (was, given, expected) => {
    const post = card(ended("expired", { terms: given, ending: { kind: "expired", was } }));

    expect(drawn(post)).toContain(expected);
    expect(drawn(post)).toContain("[Request again]");
  });

  test("drifted: then, now and requested, and the approvals are void", () => {
    const drift = [moved("instances", ["6", "8", "2"]), moved("the workload", ["uid 7d0e", "uid 91aa"])];

    const post = card(ended("drifted", { ending: { kind: "drifted", drift }, votes: [alex, omar] }));

    expect(drawn(post)).toMatchInlineSnapshot(`
      "⚠️ web changed while this waited
      Nothing was run. Earlier approvals no longer count.
      • instances: 6 when requested → 8 now; the request was for 2
      • the workload: uid 7d0e when requested → uid 91aa now
      Requested by @dana: "Black Friday is over"
      7K3M9Q · policy: disruptive-needs-on-call
      [Request again] [Show]"
    `);
  });

  test.each(["done", "failed", "unknown", "rejected", "cancelled", "expired", "drifted"] as const)(
    "%s without its ending is still told",
    (state) => {
      const post = card(ended(state, {}));

      expect(drawn(post)).toMatch(/^\S+ .*\bweb\b/u);
      expect(drawn(post)).not.toMatch(/Approve\]|Reject\]|Cancel\]/u);
    },
  );
});

test("a card that was replaced has no buttons, and says where the newer one is", () => {
  const post = retiredCard({ change: stored({ card: { channelId: "C0OPS", ts: "1.1" } }) });

  expect(drawn(post)).toMatchInlineSnapshot(`
    "↪️ Moved: Scale web to 2
    This request has a newer card in #ops. Use that one.
    7K3M9Q"
  `);
});

test("where no card can be posted, the requester is told all of it without buttons, and where the card is missing", () => {
  const change = ended("done", { terms: undefined, ending: tookEffect });

  expect(drawn(newsPost({ change, route: "alone", isWatched: true, reason: "the channel is archived" })))
    .toMatchInlineSnapshot(`
    "🔄 Scaling web to 2…
    Instances 6 → 2
    Requested by @dana: "Black Friday is over"
    7K3M9Q · policy: disruptive-needs-on-call
    I'm still watching it, and I'll tell you if it fails.
    There's no card in #ops: the channel is archived."
  `);
});

test("of a job that runs, the requester reads one promise, and no id of a channel in a notification", () => {
  const change = ended("done", { op: "createJob", verb: "create", terms: undefined, ending: tookEffect });

  const post = newsPost({ change, route: "alone", isWatched: true, isRunning: true });

  expect(drawn(post)).not.toContain("still watching it");
  expect(post.text).toContain("There's no card in the channel: Slack isn't taking it right now. It runs, ");
});

test("in the thread of a card that can't be updated, the requester is mentioned", () => {
  const change = ended("cancelled", { card: { channelId: "C0OPS", ts: "1.1" } });

  expect(drawn(newsPost({ change, route: "thread", reference: "1f9c02ab", reason: "Slack refused it (no_text)" })))
    .toMatchInlineSnapshot(`
    "@dana
    🚫 Cancelled: scale web to 2
    Nothing was changed
    Instances 6 → 2 · requested by @dana: "Black Friday is over"
    7K3M9Q · policy: disruptive-needs-on-call
    The card in #ops can't be updated: Slack refused it (no_text). Reference 1f9c02ab."
  `);
});

test("while Slack takes no card, the requester reads that it runs and that nobody has to repeat it", () => {
  const change = stored({ state: "claimed", claimedAt: new Date() });

  expect(drawn(newsPost({ change, route: "alone", isRunning: true }))).toMatchInlineSnapshot(`
    "🔄 Scaling web to 2…
    Instances 6 → 2 · may interrupt requests
    Requested by @dana: "Black Friday is over"
    7K3M9Q · policy: disruptive-needs-on-call
    There's no card in #ops: Slack isn't taking it right now. It runs, so don't request it again. I'll tell you here how it ends."
  `);
});
