import { expect, test } from "vitest";
import { decisionAnswer, type DecisionAnswer } from "../../../src/bot/views/messages/decision-answer.ts";
import { alex, dana, ended, names, run, stored } from "./support/stored-changes.ts";
import { drawn } from "./support/drawn.ts";

function answered(answer: DecisionAnswer): string {
  const post = decisionAnswer({ answer, names });
  // Read out, the same is told with names instead of mentions.
  const withoutButtons = drawn(post)
    .replaceAll(/^\[.*\]\n?/gmu, "")
    .trimEnd();
  expect(post.text).toBe(withoutButtons.replaceAll("@dana", "Dana Reyes"));
  return drawn(post);
}

const change = stored({ votes: [alex] });

test("what was decided is answered", () => {
  const answers: DecisionAnswer[] = [
    { kind: "counted", change },
    { kind: "rejected", change },
    { kind: "cancelled", change },
    { kind: "twice", change },
  ];

  expect(answers.map(answered).join("\n\n")).toMatchInlineSnapshot(`
    "👍 Approved, 1 of 2: scale web to 2
    Needs 1 more approval.
    7K3M9Q

    🚫 Rejected: scale web to 2. Nothing was changed.
    7K3M9Q

    🚫 Cancelled: scale web to 2. Nothing was changed.
    7K3M9Q

    You already approved this, 1 of 2: scale web to 2
    Needs 1 more approval.
    7K3M9Q"
  `);
});

test("the last approval is answered with what became of the request since", () => {
  const changes = [
    stored({ state: "approved", votes: [alex] }),
    stored({ state: "claimed", votes: [alex] }),
    ended("done", { health: { kind: "reached", level: "healthy", line: "2 of 2 running", excerpt: [] } }),
    stored({ state: "unknown" }),
    ended("drifted"),
    ended("cancelled", { ending: { kind: "cancelled", by: dana } }),
    ended("expired"),
    ended("failed"),
  ];

  expect(changes.map((each) => answered({ kind: "approved", change: each }).replace(/\n7K3M9Q$/u, "")))
    .toMatchInlineSnapshot(`
    [
      "👍 Approved: scale web to 2.
    It runs in a moment, unless web changed meanwhile.",
      "👍 Approved. It runs now: scale web to 2.",
      "👍 Approved. It ran: web scaled to 2.",
      "👍 Approved. It was sent, and no answer came. I'm checking whether it took effect.",
      "⚠️ Approved, but web changed meanwhile: nothing was run.",
      "🚫 Approved, but Dana Reyes cancelled it meanwhile: nothing was run.",
      "⌛ Approved, but it couldn't start in time: nothing was run.",
      "❌ Approved, but it failed: scale web to 2.
    It failed. Nothing was changed.",
    ]
  `);
});

test("approved, but waiting for another request: the last approver and a late one both see that", () => {
  const change = stored({ state: "approved", votes: [alex] });
  const said = (answer: DecisionAnswer) => decisionAnswer({ answer, names, waitsFor: "8PQ2RS" }).text;

  expect(said({ kind: "approved", change })).toContain("It waits for request 8PQ2RS, and then runs unless web changed");
  expect(said({ kind: "late", change, wanted: "approve" })).toContain("approved it. It waits for request 8PQ2RS.");
});

test("who may not decide is told why, and who may", () => {
  const could = { names: ["Alex Kim", "Omar Haddad"], count: 5 };
  const answers: DecisionAnswer[] = [
    { kind: "foreign", change, wanted: "approve" },
    { kind: "foreign", change, wanted: "reject", could },
    { kind: "own", change },
    { kind: "not-yours", change },
    { kind: "standing", change, standing: "guest" },
    { kind: "standing", change, standing: "outsider" },
    { kind: "standing", change, standing: "bot" },
    { kind: "standing", change, standing: "deactivated" },
    { kind: "check-failed" },
  ];

  expect(answers.map(answered).join("\n\n")).toMatchInlineSnapshot(`
    "🚫 You can't approve this: scale web to 2
    It needs 2 approvals from @oncall.
    7K3M9Q

    🚫 You can't reject this: scale web to 2
    It needs 2 approvals from @oncall. Alex Kim, Omar Haddad and 3 more can approve it now.
    7K3M9Q

    🚫 You can't decide on your own request: scale web to 2
    It needs 2 approvals from @oncall.
    [Cancel request]
    7K3M9Q

    🚫 Only Dana Reyes can cancel this request: scale web to 2
    If you can approve it, you can reject it instead.
    7K3M9Q

    🚫 You can't decide on this, because you're a guest in this workspace: scale web to 2
    It needs 2 approvals from @oncall.
    7K3M9Q

    🚫 You can't decide on this, because you belong to another organization: scale web to 2
    It needs 2 approvals from @oncall.
    7K3M9Q

    🚫 You can't decide on this, because apps can't approve requests: scale web to 2
    It needs 2 approvals from @oncall.
    7K3M9Q

    🚫 You can't decide on this, because your Slack account is deactivated: scale web to 2
    It needs 2 approvals from @oncall.
    7K3M9Q

    ⚠️ Slack didn't confirm that you can decide on this. Nothing was decided.
    Try again in a minute."
  `);
});

test("who comes too late is told what became of it, and who decided", () => {
  const changes = [
    stored({ state: "approved", votes: [alex, { ...dana, at: alex.at }] }),
    stored({ state: "claimed", terms: undefined }),
    ended("done"),
    ended("done", { ending: run({ kind: "asked", after: undefined, why: "" }) }),
    ended("failed"),
    stored({ state: "unknown" }),
    ended("unknown"),
    ended("rejected", { ending: { kind: "rejected", by: alex, reason: undefined } }),
    ended("cancelled", { ending: { kind: "cancelled", by: dana } }),
    ended("expired"),
    ended("drifted"),
  ];

  const answers = changes.map((each) => answered({ kind: "late", change: each, wanted: "approve" }).split("\n"));

  expect(new Set(answers.map(([first]) => first))).toMatchInlineSnapshot(`
    Set {
      "Too late to approve this: scale web to 2",
    }
  `);
  expect(answers.map(([, fate]) => fate)).toMatchInlineSnapshot(`
    [
      "Alex Kim and Dana Reyes approved it. It runs in a moment.",
      "It's running now.",
      "It was sent, and I'm checking that the workload runs.",
      "It was sent, and I'm checking that the workload runs.",
      "It failed. Nothing was changed.",
      "It was sent, and no answer came. I'm checking whether it took effect.",
      "It was sent, but I can't tell whether it took effect.",
      "Alex Kim rejected it.",
      "Dana Reyes cancelled it.",
      "It expired. Nothing was changed.",
      "The workload changed while it waited, so nothing was run.",
    ]
  `);
});

test("a button of a card that was replaced decides nothing", () => {
  expect(answered({ kind: "retired", change })).toMatchInlineSnapshot(`
    "This card is out of date, so nothing was decided: scale web to 2
    Needs 1 more approval.
    Use the newer card.
    7K3M9Q"
  `);
});

test("an id that is none is answered with those that look like it", () => {
  expect(answered({ kind: "missing", id: "7K3M9Q", nearest: ["7K3M9P", "7K3M00"] })).toMatchInlineSnapshot(`
    "There's no request 7K3M9Q.
    Did you mean 7K3M9P or 7K3M00?
    [Pending requests] [History]"
  `);
  expect(answered({ kind: "missing", id: "7K3M9Q", nearest: [], isClicked: true })).toMatchInlineSnapshot(`
    "I don't know request 7K3M9Q. Nothing was changed.
    It may be too old, from another workspace, or from another Gantry on this Slack app. If it's new, click again, and tell your Gantry admin.
    [Pending requests] [History]"
  `);
  expect(answered({ kind: "missing", id: "7K3M9Q", nearest: [] })).toMatchInlineSnapshot(`
    "There's no request 7K3M9Q.
    [Pending requests] [History]"
  `);
});
