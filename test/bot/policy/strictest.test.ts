import { describe, expect, test } from "vitest";
import { strictest } from "../../../src/bot/policy/evaluate.ts";
import type { Terms, Verdict } from "../../../src/bot/policy/policy.ts";

const here = { users: [], groups: [], channelMembers: true };
const base: Terms = {
  votes: 1,
  from: here,
  selfApproval: true,
  reasonRequired: false,
  expiresMs: 3_600_000,
  cardIn: undefined,
  mention: "nobody",
};
const allow: Verdict = { kind: "allow", rule: "routine" };
const glass: Verdict = { kind: "break-glass", rule: "emergencies" };
const refuse: Verdict = { kind: "refuse", rule: "never", why: "No.", next: "Don't." };
const approve = (terms: Partial<Terms>, rule = "two eyes"): Verdict => ({
  kind: "approve",
  rule,
  terms: { ...base, ...terms },
});

describe("the verdict on one request for several workloads", () => {
  test.each<[string, readonly Verdict[], Verdict | "split"]>([
    ["what is allowed for each is allowed", [allow, allow], allow],
    ["a refusal of one refuses all", [allow, approve({}), refuse], refuse],
    ["one that needs approval makes all of them wait", [allow, approve({}), allow], approve({})],
    ["breaking the glass for one breaks it for the request", [allow, glass], glass],
    ["an approval can't be skipped by breaking the glass for another", [glass, approve({})], "split"],
    [
      "the most approvals count, and the rule that wants them",
      [approve({ votes: 1 }, "one"), approve({ votes: 3 }, "three")],
      approve({ votes: 3 }, "three"),
    ],
    [
      "a reason for one is a reason for all",
      [approve({}), approve({ reasonRequired: true })],
      approve({ reasonRequired: true }),
    ],
    [
      "who may not approve one of them may approve none",
      [approve({}), approve({ selfApproval: false })],
      approve({ selfApproval: false }),
    ],
    ["the first to expire ends it", [approve({}), approve({ expiresMs: 60_000 })], approve({ expiresMs: 60_000 })],
    [
      "whom one of them mentions is mentioned",
      [approve({}), approve({ mention: "groups" })],
      approve({ mention: "groups" }),
    ],
    [
      "other approvers can't share an approval",
      [approve({}), approve({ from: { users: ["U1"], groups: [], channelMembers: false } })],
      "split",
    ],
    ["nor can cards in other channels", [approve({}), approve({ cardIn: "C1" })], "split"],
    [
      "the order of approvers makes no difference",
      [
        approve({ from: { users: ["U1", "U2"], groups: [], channelMembers: false } }),
        approve({ from: { users: ["U2", "U1"], groups: [], channelMembers: false } }),
      ],
      approve({ from: { users: ["U1", "U2"], groups: [], channelMembers: false } }),
    ],
  ])("%s", (_title, verdicts, expected) => {
    expect(strictest(verdicts)).toEqual(expected);
  });
});
