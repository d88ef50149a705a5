import { describe, expect, test } from "vitest";
import { channelVote } from "../../support/channel-vote.ts";
import { defaultPolicy, defaultPolicyText, readPolicy } from "../../../src/bot/policy/read-policy.ts";

describe("a policy file that can be used", () => {
  test("every word of a rule", () => {
    const policy = readPolicy(
      `# our rules
rules:
  - name: prod
    who: [members, S0ONCALL, U0DANA]
    where: [C0OPS, dm]
    does: [destructive, restartService]
    workloads: { kind: service, name: [shop-*, web], region: beijing1, account: ops }
    then:
      approve:
        votes: 2
        from: [channel-members, S0LEADS, U0ALEX]
        self-approval: true
        reason: required
        expires: 2h
        post-in: C0PROD
        mention: all
  - name: no
    who: everyone
    does: anything
    then: refuse
    say: Not here.
`,
      "policy.yaml",
    );

    expect(policy).toEqual({
      source: "policy.yaml",
      rules: [
        {
          name: "prod",
          line: 3,
          who: ["members", "S0ONCALL", "U0DANA"],
          where: ["C0OPS", "dm"],
          does: ["destructive", "restartService"],
          kinds: ["service"],
          names: ["shop-*", "web"],
          regions: ["beijing1"],
          accounts: ["ops"],
          end: {
            kind: "approve",
            terms: {
              votes: 2,
              from: { users: ["U0ALEX"], groups: ["S0LEADS"], channelMembers: true },
              selfApproval: true,
              reasonRequired: true,
              expiresMs: 7_200_000,
              cardIn: "C0PROD",
              mention: "all",
            },
          },
        },
        {
          name: "no",
          line: 17,
          who: ["everyone"],
          where: undefined,
          does: ["anything"],
          kinds: undefined,
          names: undefined,
          regions: undefined,
          accounts: undefined,
          end: { kind: "refuse", say: "Not here." },
        },
      ],
    });
  });

  test.each(["approve", "{ approve: }", "{ approve: {} }"])("then: %s has terms of its own", (then) => {
    const [first] = readPolicy(
      `rules:\n  - { name: it, who: members, does: routine, then: ${then} }\n`,
      "policy.yaml",
    ).rules;

    expect(first?.end).toEqual({
      kind: "approve",
      terms: channelVote,
    });
  });

  test("the built-in policy goes through the same reader", () => {
    expect(readPolicy(defaultPolicyText, "the built-in policy")).toEqual(defaultPolicy);
  });

  test("an anchor stands for what it marks", () => {
    const text =
      "rules:\n  - { name: a, who: &us [U0DANA, U0ALEX], does: read, then: allow }\n  - { name: b, who: *us, does: routine, then: allow }\n";

    expect(readPolicy(text, "policy.yaml").rules[1]?.who).toEqual(["U0DANA", "U0ALEX"]);
  });
});

test.each([
  ["say: Only the bank changes it. Ask in #bank.", "#bank.", "say", "Only the bank changes it. Ask in #bank."],
  ["say: Ask in   # bank or else ", "# bank or else", "say", "Ask in # bank or else"],
])("a sentence that YAML cuts off at a # is a problem: %s", (written, lost, key, whole) => {
  const text = `rules:\n  - name: it\n    who: members #everyone\n    does: read\n    ${written}\n    then: refuse\n`;

  expect(() => readPolicy(text, "policy.yaml")).toThrow(
    `policy.yaml:5: rule “it”, ${key}: “${lost}” would be lost, because YAML reads it as a comment. Put the text in quotes: ${key}: "${whole}"`,
  );
  const quoted = text.replace(written, `say: "${whole}" # a comment`);
  expect(readPolicy(quoted, "policy.yaml").rules[0]?.end).toEqual({ kind: "refuse", say: whole });
});

test("a name that YAML cuts off at a # is a problem, too", () => {
  const text = "rules:\n  - name: rule #1\n    who: members\n    does: read\n    then: allow\n";

  expect(() => readPolicy(text, "policy.yaml")).toThrow("policy.yaml:2: rule “rule”, name: “#1” would be lost");
});

test.each([
  ["from: [S0ONCALL, U0DANA]", "all"],
  ["from: U0DANA", "all"],
  ["from: [S0ONCALL, U0DANA], mention: groups", "groups"],
  ["from: S0ONCALL, mention: nobody", "nobody"],
])("whom the card of approve: { %s } mentions", (approve, mention) => {
  const text = `rules:\n  - { name: it, who: members, does: routine, then: { approve: { ${approve} } } }\n`;

  expect(readPolicy(text, "policy.yaml").rules[0]?.end).toMatchObject({ terms: { mention } });
});
