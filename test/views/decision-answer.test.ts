import { expect, test } from "vitest";
import { decisionAnswer, type DecisionAnswer } from "../../src/views/messages/decision-answer.ts";
import { alex, dana, ended, names, run, stored } from "./support/stored-changes.ts";
import { drawn } from "./support/drawn.ts";
import { command } from "./support/workloads.ts";

function answered(answer: DecisionAnswer): string {
  const post = decisionAnswer({ answer, command, names });
  // Read out, the same is told with names instead of mentions.
  expect(post.text).toBe(drawn(post).replaceAll("@dana", "Dana Reyes"));
  return drawn(post);
}

const change = stored({ votes: [alex] });

test("what was decided is answered", () => {
  const answers: DecisionAnswer[] = [
    { kind: "counted", change },
    { kind: "approved", change: { ...change, state: "approved" } },
    { kind: "rejected", change },
    { kind: "cancelled", change },
    { kind: "twice", change },
  ];

  expect(answers.map(answered).join("\n\n")).toMatchInlineSnapshot(`
    "👍 Your vote counts, it is 1 of 2: scale service web, 7K3M9Q

    👍 Your vote counts, and it was the last one that was needed: scale service web, 7K3M9Q
    It is read once more, then it runs; its card tells how it ends.

    🚫 You rejected it, and nothing was sent: scale service web, 7K3M9Q

    🚫 You cancelled it, and nothing was sent: scale service web, 7K3M9Q

    You voted for it before, it stays 1 of 2: scale service web, 7K3M9Q"
  `);
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
    "🚫 You cannot approve it, because you are not among those who may: scale service web, 7K3M9Q
    It waits for @oncall.

    🚫 You cannot reject it, because you are not among those who may: scale service web, 7K3M9Q
    It waits for @oncall. Those who could now: Alex Kim, Omar Haddad and 3 more

    🚫 You cannot decide about it, because you asked for it yourself: scale service web, 7K3M9Q
    It waits for @oncall. To take it back: /gantry cancel 7K3M9Q

    🚫 Only Dana Reyes, who asked for it, can cancel it: scale service web, 7K3M9Q
    Those who may approve it can reject it.

    🚫 You cannot decide about it, because you are a guest in this workspace: scale service web, 7K3M9Q
    It waits for @oncall.

    🚫 You cannot decide about it, because you belong to another organisation: scale service web, 7K3M9Q
    It waits for @oncall.

    🚫 You cannot decide about it, because an app does not decide: scale service web, 7K3M9Q
    It waits for @oncall.

    🚫 You cannot decide about it, because your account in this workspace is deactivated: scale service web, 7K3M9Q
    It waits for @oncall.

    ⚠️ Nothing was decided, because Slack did not tell whether you may.
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
      "Too late to approve it, nothing was changed by this: scale service web, 7K3M9Q",
    }
  `);
  expect(answers.map(([, fate]) => fate)).toMatchInlineSnapshot(`
    [
      "Alex Kim and Dana Reyes approved it. It is about to run.",
      "It is running.",
      "It ran and took effect.",
      "It ran, and the service accepted it.",
      "It failed, and its card says why.",
      "It ran, no answer came, and Gantry is finding out whether it took effect.",
      "It ran, and nobody can tell whether it took effect.",
      "Alex Kim rejected it.",
      "Dana Reyes cancelled it.",
      "It expired, and nothing was sent.",
      "It did not run, because what it is about has changed since it was asked for.",
    ]
  `);
});

test("a button of a card that was replaced decides nothing", () => {
  expect(answered({ kind: "retired", change })).toMatchInlineSnapshot(`
    "This card is out of date, a newer one took its place, and nothing was decided: scale service web, 7K3M9Q
    It waits for 1 more vote.
    Decide on the newer card, or see what waits with /gantry pending"
  `);
});

test("an id that is none is answered with those that look like it", () => {
  expect(answered({ kind: "missing", id: "7K3M9Q", nearest: ["7K3M9P", "7K3M00"] })).toMatchInlineSnapshot(`
    "There is no change 7K3M9Q.
    Did you mean 7K3M9P or 7K3M00?
    See what waits with /gantry pending, and what happened with /gantry history"
  `);
  expect(answered({ kind: "missing", id: "7K3M9Q", nearest: [] })).toMatchInlineSnapshot(`
    "There is no change 7K3M9Q.
    See what waits with /gantry pending, and what happened with /gantry history"
  `);
});
