import { describe, expect, test } from "vitest";
import { channelVote } from "../../support/channel-vote.ts";
import { defaultPolicy, readPolicy } from "../../../src/bot/policy/read-policy.ts";
import { evaluate } from "../../../src/bot/policy/evaluate.ts";
import type { Verdict } from "../../../src/bot/policy/policy.ts";
import { listOfAll, questionOf, showBareName } from "./question-of.ts";

const policyOf = (rules: string) => readPolicy(`rules:\n${rules}`, "policy.yaml");

/** What came of it, in one word with the rule. */
function short(verdict: Verdict): string {
  return `${verdict.kind} by ${verdict.rule ?? "nobody"}`;
}

const dm = { kind: "dm", channelId: "D0DANA" } as const;
const guest = { standing: "guest" } as const;

describe("the built-in policy", () => {
  test.each([
    ["a member reads", questionOf(showBareName), "allow by read access"],
    ["a member lists", questionOf(listOfAll), "allow by read access"],
    ["a member reads in a direct message", questionOf({ ...showBareName, where: dm }), "allow by read access"],
    ["a member starts", questionOf({ op: "startService", risk: "routine" }), "allow by routine changes"],
    [
      "a member binds a channel",
      questionOf({ op: "bindChannel", risk: "routine", workload: { kind: undefined, name: undefined } }),
      "allow by routine changes",
    ],
    [
      "a member scales far up",
      questionOf({
        op: "updateService",
        risk: "routine",
        footprint: { containers: undefined, instances: 500, grownFrom: 2 },
      }),
      "approve by big steps",
    ],
    ["a member restarts", questionOf({ op: "restartService", risk: "disruptive" }), "approve by disruptive changes"],
    ["a member deletes", questionOf(), "approve by disruptive changes"],
    ["a guest reads", questionOf({ ...showBareName, person: guest }), "refuse by nobody"],
    ["a guest deletes", questionOf({ person: guest }), "refuse by nobody"],
    ["an outsider reads", questionOf({ ...showBareName, person: { standing: "outsider" } }), "refuse by nobody"],
    ["a bot reads", questionOf({ ...showBareName, person: { standing: "bot" } }), "refuse by nobody"],
    [
      "somebody deactivated reads",
      questionOf({ ...showBareName, person: { standing: "deactivated" } }),
      "refuse by nobody",
    ],
    ["somebody breaks glass to read", questionOf({ ...showBareName, breakGlass: true }), "allow by read access"],
    ["somebody breaks glass to delete", questionOf({ breakGlass: true }), "refuse by disruptive changes"],
  ])("%s", (_, question, expected) => {
    expect(short(evaluate(defaultPolicy, question))).toBe(expected);
  });

  test("an approval takes one other full member of the channel, within an hour", () => {
    const verdict = evaluate(defaultPolicy, questionOf());

    expect(verdict).toEqual({
      kind: "approve",
      rule: "disruptive changes",
      terms: channelVote,
    });
  });
});

describe("which questions a rule is about", () => {
  test.each([
    ["who: members", questionOf(), true],
    ["who: members", questionOf({ person: guest }), false],
    ["who: guests", questionOf({ person: guest }), true],
    ["who: outsiders", questionOf({ person: { standing: "outsider" } }), true],
    ["who: everyone", questionOf({ person: { standing: "outsider" } }), true],
    ["who: everyone", questionOf({ person: { standing: "bot" } }), false],
    ["who: everyone", questionOf({ person: { standing: "deactivated" } }), false],
    ["who: [U0ALEX, U0DANA]", questionOf(), true],
    ["who: U0ALEX", questionOf(), false],
    ["who: S0ONCALL", questionOf({ groups: ["S0ONCALL"] }), true],
    ["who: S0ONCALL", questionOf({ groups: ["S0OTHER"] }), false],
    ["who: [S0ONCALL, members]", questionOf(), true],
    ["who: everyone, where: C0OPS", questionOf(), true],
    ["who: everyone, where: [C0GENERAL]", questionOf(), false],
    ["who: everyone, where: channels", questionOf(), true],
    ["who: everyone, where: channels", questionOf({ where: dm }), false],
    ["who: everyone, where: dm", questionOf({ where: dm }), true],
    ["who: everyone, where: dm", questionOf(), false],
    ["who: everyone, does: deleteService", questionOf(), true],
    ["who: everyone, does: deleteJob", questionOf(), false],
    ["who: everyone, does: [routine, destructive]", questionOf(), true],
    ["who: everyone, does: [routine, read]", questionOf(), false],
    ["who: everyone, does: destructive", questionOf(showBareName), false],
    ["who: everyone, workloads: { kind: job }", questionOf(), false],
    ["who: everyone, workloads: { kind: [job, service] }", questionOf(), true],
    ["who: everyone, workloads: { name: web }", questionOf(), true],
    ["who: everyone, workloads: { name: Web }", questionOf(), false],
    ["who: everyone, workloads: { name: [shop-*, w*b] }", questionOf(), true],
    ["who: everyone, workloads: { region: beijing* }", questionOf(), true],
    ["who: everyone, workloads: { region: us }", questionOf(), false],
    ["who: everyone, workloads: { account: ops }", questionOf(), true],
    ["who: everyone, workloads: { account: dana }", questionOf(), false],
  ])("%s", (conditions, question, isMatch) => {
    const does = conditions.includes("does:") ? "" : ", does: anything";

    const verdict = evaluate(policyOf(`  - { name: it, ${conditions}${does}, then: allow }`), question);

    expect(verdict.kind).toBe(isMatch ? "allow" : "refuse");
  });
});

describe("what is not known opens nothing", () => {
  const allow = (conditions: string) =>
    policyOf(`  - { name: it, who: everyone, does: anything, then: allow, ${conditions} }`);
  const refuse = (conditions: string) =>
    policyOf(
      `  - { name: it, who: everyone, does: anything, then: refuse, ${conditions} }\n  - { name: rest, who: everyone, does: anything, then: allow }`,
    );

  test.each([
    ["the kind of a bare name", "workloads: { kind: service }", questionOf(showBareName)],
    ["the names in a list", "workloads: { name: web-* }", questionOf(listOfAll)],
    ["the region", "workloads: { region: us }", questionOf({ workload: { region: undefined } })],
    ["the account", "workloads: { account: ops }", questionOf({ account: undefined })],
  ])("%s", (_, conditions, question) => {
    expect(evaluate(allow(conditions), question).kind).toBe("refuse");
    expect(evaluate(refuse(conditions), question).kind).toBe("refuse");
  });

  test("whether somebody is in a group", () => {
    const opens = policyOf("  - { name: it, who: S0ONCALL, does: anything, then: allow }");
    const shuts = policyOf(
      "  - { name: it, who: S0ONCALL, does: anything, then: refuse }\n  - { name: rest, who: everyone, does: anything, then: allow }",
    );

    expect(evaluate(opens, questionOf({ groups: "unknown" })).kind).toBe("refuse");
    expect(evaluate(shuts, questionOf({ groups: "unknown" })).kind).toBe("refuse");
    expect(evaluate(shuts, questionOf()).kind).toBe("allow");
  });

  test("a bare name may be a job, so a rule for reading services alone does not show it", () => {
    const services = policyOf("  - { name: it, who: everyone, does: getService, then: allow }");
    const both = policyOf("  - { name: it, who: everyone, does: [getService, getJob], then: allow }");
    const noJobs = policyOf(
      "  - { name: jobs, who: everyone, does: getJob, then: refuse }\n  - { name: rest, who: everyone, does: read, then: allow }",
    );

    expect(evaluate(services, questionOf(showBareName)).kind).toBe("refuse");
    expect(evaluate(both, questionOf(showBareName)).kind).toBe("allow");
    expect(short(evaluate(noJobs, questionOf(showBareName)))).toBe("refuse by jobs");
    expect(evaluate(noJobs, questionOf({ ...showBareName, workload: { kind: "service" } })).kind).toBe("allow");
  });

  test("a pattern of every name is no condition", () => {
    expect(evaluate(allow('workloads: { name: "*" }'), questionOf(listOfAll)).kind).toBe("allow");
  });

  test("an approval that may be needed is not skipped for a later rule that asks less", () => {
    const policy = policyOf(`
  - { name: two votes for newcomers, who: S0NEW, does: destructive, then: { approve: { votes: 2 } } }
  - { name: rest, who: members, does: destructive, then: allow }`);

    expect(short(evaluate(policy, questionOf({ groups: ["S0NEW"] })))).toBe("approve by two votes for newcomers");
    expect(short(evaluate(policy, questionOf()))).toBe("allow by rest");
    expect(short(evaluate(policy, questionOf({ groups: "unknown" })))).toBe("refuse by two votes for newcomers");
  });

  test("a group is not asked for where the rule is about something else", () => {
    const policy = policyOf(`
  - { name: jobs of on-call, who: S0ONCALL, does: anything, workloads: { kind: job }, then: allow }
  - { name: rest, who: [S0OTHER, members], does: anything, then: allow }`);
    const asked: string[] = [];
    const person = {
      inGroup: (group: string) => {
        asked.push(group);
        return false;
      },
    };

    const verdict = evaluate(policy, questionOf({ person }));

    expect(short(verdict)).toBe("allow by rest");
    expect(asked).toEqual([]);
  });
});

describe("breaking the glass", () => {
  const policy = policyOf(`
  - { name: not the ledger, who: everyone, does: destructive, workloads: { name: ledger }, then: refuse }
  - { name: approval, who: members, does: [disruptive, destructive], then: { approve: { votes: 2 } } }
  - { name: routine, who: members, does: routine, then: allow }
  - { name: on call, who: S0ONCALL, does: [routine, disruptive, destructive], then: break-glass }`);
  const onCall = { groups: ["S0ONCALL"] };

  test.each([
    ["somebody on call runs at once", questionOf({ ...onCall, breakGlass: true }), "break-glass by on call"],
    ["only when they say so", questionOf(onCall), "approve by approval"],
    [
      "a refusal above keeps it closed",
      questionOf({ ...onCall, breakGlass: true, workload: { name: "ledger" } }),
      "refuse by not the ledger",
    ],
    ["others may not", questionOf({ breakGlass: true }), "refuse by approval"],
    ["nor those of whom it is not known", questionOf({ groups: "unknown", breakGlass: true }), "refuse by approval"],
    [
      "what is allowed anyway is allowed",
      questionOf({ op: "startService", risk: "routine", breakGlass: true }),
      "allow by routine",
    ],
  ])("%s", (_, question, expected) => {
    expect(short(evaluate(policy, question))).toBe(expected);
  });
});
