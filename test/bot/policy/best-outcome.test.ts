import { expect, test } from "vitest";
import { defaultPolicy, readPolicy } from "../../../src/bot/policy/read-policy.ts";
import { bestOutcome } from "../../../src/bot/policy/evaluate.ts";
import { questionOf } from "./question-of.ts";

const restart = { op: "restartService", risk: "disruptive" } as const;
const scaleUp = { op: "updateService", risk: "routine" } as const;
const scaleToZero = { op: "updateService", risk: "destructive" } as const;
const show = { op: "getJob", risk: undefined } as const;

test.each([
  ["a member reads", questionOf(), [show], "allow"],
  ["a member restarts", questionOf(), [restart], "approve"],
  ["a member scales: up at once, to nothing after an approval", questionOf(), [scaleToZero, scaleUp], "allow"],
  ["a guest reads", questionOf({ person: { standing: "guest" } }), [show], "refuse"],
  ["a guest asks for help, for which nobody needs a rule", questionOf({ person: { standing: "guest" } }), [], "allow"],
  ["a bot asks for help", questionOf({ person: { standing: "bot" } }), [], "refuse"],
] as const)("by the built-in policy %s", (...[, asker, deeds, expected]) => {
  expect(bestOutcome(defaultPolicy, asker, deeds)).toBe(expected);
});

const policy = readPolicy(
  `rules:
  - { name: frozen, who: everyone, does: anything, workloads: { name: ledger }, then: refuse }
  - { name: leads, who: S0LEADS, does: disruptive, then: approve }
  - { name: night, who: members, does: destructive, then: break-glass }
  - { name: shop, who: members, where: C0OPS, does: disruptive, workloads: { kind: service, name: shop-* }, then: allow }
  - { name: nobody, who: members, does: disruptive, then: refuse }
  - { name: late, who: members, does: [disruptive, read], then: allow }
`,
  "policy.yaml",
);

test.each([
  ["is taken for the name that suits best", questionOf(), [restart], "allow"],
  [
    "ends at a rule that refuses every workload",
    questionOf({ where: { kind: "dm", channelId: "D0" } }),
    [restart],
    "refuse",
  ],
  ["does not end at one that refuses some", questionOf(), [show], "allow"],
  ["shows the approval of a group", questionOf({ groups: ["S0LEADS"] }), [restart], "approve"],
  ["does not skip an approval that may be needed", questionOf({ groups: "unknown" }), [restart], "refuse"],
  ["breaks no glass", questionOf(), [scaleToZero], "refuse"],
] as const)("the outlook %s", (...[, { person, where, account }, deeds, expected]) => {
  expect(bestOutcome(policy, { person, where, account }, deeds)).toBe(expected);
});

test("the outlook on one workload ends at the first rule about it", () => {
  const { person, where, account } = questionOf();
  const on = (name: string) =>
    bestOutcome(policy, { person, where, account, workload: { region: "beijing1", name } }, [restart]);

  expect([on("shop-cart"), on("web"), on("ledger")]).toEqual(["allow", "refuse", "refuse"]);
});
