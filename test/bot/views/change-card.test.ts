import { describe, expect, test } from "vitest";
import type { StoredChange } from "../../../src/bot/changes/stored-change.ts";
import { changeCard, type ChangeCard } from "../../../src/bot/views/cards/change-card.ts";
import type { Post } from "../../../src/bot/views/kit/post.ts";
import { alex, inDoubt, names, omar, stored, terms } from "./support/stored-changes.ts";
import { drawn, mentioned } from "./support/drawn.ts";

function card(change: StoredChange, more: Partial<ChangeCard> = {}): Post {
  return changeCard({ change, defaultRegion: "beijing1", canUndo: false, names, ...more });
}

describe("a card that waits for approvals", () => {
  test("says who asks what and why, who may approve, and until when", () => {
    const post = card(stored({ votes: [alex] }));

    expect(drawn(post)).toMatchInlineSnapshot(`
      "⏳ Scale web to 2?
      Instances 6 → 2 · may interrupt requests
      Requested by @dana: "Black Friday is over"
      Needs 2 approvals from @oncall · 1 of 2 (Alex Kim) · expires 2026-11-21 13:00 UTC
      7K3M9Q · policy: disruptive-needs-on-call
      [Approve] [Reject] [Cancel request] [… Logs | Show]"
    `);
  });

  test("tells the same story to those who do not see it", () => {
    const { text } = card(stored({ votes: [alex] }));

    expect(text).toMatchInlineSnapshot(`
      "⏳ Scale web to 2?
      Instances 6 → 2 · may interrupt requests
      Requested by Dana Reyes: "Black Friday is over"
      Needs 2 approvals from @oncall · 1 of 2 (Alex Kim) · expires 2026-11-21 13:00 UTC
      7K3M9Q · policy: disruptive-needs-on-call"
    `);
  });

  test("carries its id on each button, and says by the action what the click does", () => {
    const { blocks } = card(stored());

    const buttons = blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
    expect(buttons.map((each) => (each.type === "button" ? [each.action_id, each.value, each.style] : []))).toEqual([
      ["change:approve", "7K3M9Q", "primary"],
      ["change:reject", "7K3M9Q", undefined],
      ["change:cancel", "7K3M9Q", undefined],
      [],
    ]);
  });

  test.each([
    ["groups", ["@dana", "@oncall"]],
    ["all", ["@dana", "@oncall", "@alex"]],
    ["nobody", ["@dana"]],
  ] as const)("mentions %s of the approvers", (mention, expected) => {
    const from = { users: ["U0ALEX"], groups: ["S0ONCALL"], channelMembers: true };

    const post = card(stored({ terms: { ...terms, from, mention } }));

    expect(mentioned(post)).toEqual(expected);
    expect(drawn(post)).toContain(
      mention === "all"
        ? "Needs 2 approvals from @oncall, @alex or another member of this channel"
        : "Needs 2 approvals from @oncall, Alex Kim or another member of this channel",
    );
  });

  test("names user groups and people by their ids where nothing else is known", () => {
    const from = { users: ["U0ALEX"], groups: ["S0ONCALL"], channelMembers: false };

    const post = card(stored({ terms: { ...terms, from, mention: "nobody" } }), { names: {} });

    expect(drawn(post)).toContain("Needs 2 approvals from the user group S0ONCALL or U0ALEX");
  });

  test.each([
    ["domains", "updateService", "destructive", " · removed domains stop working"],
    ["scale", "updateService", "destructive", " · takes it offline"],
    ["memory", "updateService", "disruptive", " · can restart every instance"],
    ["restart", "restartService", "disruptive", " · causes a short interruption"],
    ["stop", "stopService", "disruptive", " · takes it offline"],
    ["start", "startService", "routine", ""],
  ] as const)("says what a %s does to those who use it", (...[verb, op, risk, expected]) => {
    const post = card(stored({ verb, op, risk, diff: ["it"] }));

    expect(drawn(post)).toContain(`\nIt${expected}\nRequested by`);
  });

  test("of a deletion looks like no other: its headline says what goes, and its button is red", () => {
    const lost = "permanently deletes web (2 running instances, 1 domain)";
    const post = card(stored({ verb: "delete", op: "deleteService", risk: "destructive", diff: [lost] }));

    expect(drawn(post)).toMatchInlineSnapshot(`
      "🗑️ Permanently deletes web (2 running instances, 1 domain)
      Can't be undone
      Requested by @dana: "Black Friday is over"
      Needs 2 approvals from @oncall · 0 of 2 · expires 2026-11-21 13:00 UTC
      7K3M9Q · policy: disruptive-needs-on-call
      [Approve] [Reject] [Cancel request] [… Logs | Show]"
    `);
    const row = post.blocks.flatMap((block) => (block.type === "actions" ? block.elements : []));
    expect(row.map((each) => (each.type === "button" ? each.style : undefined))).toEqual([
      "danger",
      undefined,
      undefined,
      undefined,
    ]);
  });

  test.each([
    ["scale", "updateService", ["instances 6 → 2"], "Scale web to 2?", "Scaling web to 2…"],
    [
      "memory",
      "updateService",
      ["memory 256 → 512 MiB"],
      "Set memory of web to 512 MiB?",
      "Setting memory of web to 512 MiB…",
    ],
    ["domains", "updateService", ["+ domain a.example"], "Change domains of web?", "Changing domains of web…"],
    ["create", "createService", [], "Create web?", "Creating web…"],
    ["restart", "restartService", [], "Restart web?", "Restarting web…"],
  ] as const)("begins with the question: %s", (...[verb, op, diff, question, running]) => {
    expect(drawn(card(stored({ verb, op, diff }))).split("\n")[0]).toBe(`⏳ ${question}`);
    expect(drawn(card(stored({ verb, op, diff, state: "claimed" }))).split("\n")[0]).toBe(`🔄 ${running}`);
  });

  test("names the region, the account and what it takes back where they are not the usual ones", () => {
    const post = card(
      stored({
        workload: { kind: "service", region: "us", name: "web", uid: undefined },
        account: { owner: { kind: "user", userId: "U0DANA" }, username: "dana" },
        undoOf: "2B4D6F",
      }),
    );

    expect(drawn(post)).toMatchInlineSnapshot(`
      "⏳ Scale web in us to 2?
      Instances 6 → 2 · may interrupt requests
      Requested by @dana: "Black Friday is over"
      Needs 2 approvals from @oncall · 0 of 2 · expires 2026-11-21 13:00 UTC
      7K3M9Q · policy: disruptive-needs-on-call · account: dana (their own) · undoes 2B4D6F
      [Approve] [Reject] [Cancel request] [… Logs | Show]"
    `);
  });

  test("does not ask for another member's approval where one's own counts", () => {
    const from = { users: [], groups: [], channelMembers: true };

    const post = card(stored({ terms: { ...terms, votes: 1, from, selfApproval: true } }));

    expect(drawn(post)).toContain("Needs 1 approval from any member of this channel");
  });
});

describe("who can approve a waiting request now", () => {
  const line = (names: readonly string[], count: number | undefined): string | undefined => {
    const post = changeCard({ change: stored({}), canUndo: false, approvers: { names, count } });
    return drawn(post)
      .split("\n")
      .find((each) => each.includes("an approve now"));
  };

  test("is on its card, and what isn't known isn't left out", () => {
    expect(line(["Alex Kim", "Omar Haddad"], 2)).toBe("Can approve now: Alex Kim, Omar Haddad");
    expect(line(["Alex Kim", "Omar Haddad"], 9)).toBe("Can approve now: Alex Kim, Omar Haddad and 7 more");
    expect(line(["Alex Kim"], undefined)).toBe("Can approve now: Alex Kim and others");
    expect(line([], 0)).toBe("Nobody can approve now");
    expect(line([], undefined)).toBe("Who can approve now isn't known");
  });

  test("is gone once it was decided", () => {
    const approvers = { names: ["Alex Kim"], count: 1 };

    const post = changeCard({ change: stored({ state: "approved" }), canUndo: false, approvers });

    expect(drawn(post)).not.toContain("approve now");
  });
});

describe("a card on its way", () => {
  test("approved: about to run, and it can still be cancelled", () => {
    expect(drawn(card(stored({ state: "approved", votes: [alex, omar] })))).toMatchInlineSnapshot(`
      "⏳ Scale web to 2: runs in a moment
      Instances 6 → 2 · may interrupt requests
      Requested by @dana: "Black Friday is over" · approved by Alex Kim, Omar Haddad
      7K3M9Q · policy: disruptive-needs-on-call
      [Cancel request]"
    `);
  });

  test("approved while another request runs: it says once which one it waits for", () => {
    const [headline, ...others] = drawn(card(stored({ state: "approved" }), { waitsFor: "K7Q2MX" })).split("\n");

    expect(headline).toBe("⏳ Scale web to 2: waits for request K7Q2MX");
    expect(others.join("\n")).not.toMatch(/waits/u);
  });

  test("claimed: running, and nothing can be clicked", () => {
    expect(drawn(card(stored({ state: "claimed", terms: undefined, risk: "routine" })))).toMatchInlineSnapshot(`
      "🔄 Scaling web to 2…
      Instances 6 → 2
      Requested by @dana: "Black Friday is over"
      7K3M9Q · policy: disruptive-needs-on-call"
    `);
  });

  test("with broken glass: marked", () => {
    expect(drawn(card(stored({ state: "claimed", terms: undefined, breakGlass: true })))).toMatchInlineSnapshot(`
      "🔄 Scaling web to 2…
      🚨 Break-glass: runs without approval
      Instances 6 → 2 · may interrupt requests
      Requested by @dana: "Black Friday is over"
      7K3M9Q · policy: disruptive-needs-on-call"
    `);
  });

  test("without an answer: it is being read back", () => {
    expect(drawn(card(stored({ state: "unknown", ending: inDoubt, votes: [alex, omar] })))).toMatchInlineSnapshot(`
      "❓ Checking whether web was scaled…
      No answer came within 30 s.
      I won't send it again.
      Instances 6 → 2 · requested by @dana: "Black Friday is over" · approved by Alex Kim, Omar Haddad
      7K3M9Q · policy: disruptive-needs-on-call
      [Show] [Logs]"
    `);
  });
});

test("what is sealed is not on a card", () => {
  const change = stored();

  const json = JSON.stringify(card(change));

  expect(change.sealed).toContain("SECRETVALUE");
  expect(json).toContain(change.id);
  expect(json).not.toContain("SECRETVALUE");
});
