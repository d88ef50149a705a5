import { describe, expect, test } from "vitest";
import { PolicyError, readPolicy } from "../../../src/bot/policy/read-policy.ts";

/** The message without its first line, which is always the same. */
function problemsIn(text: string): string {
  try {
    readPolicy(text, "policy.yaml");
  } catch (error) {
    if (error instanceof PolicyError) return error.message.split("\n").slice(1).join("\n");
    throw error;
  }
  return "none";
}

/** A file of one rule that is right, but for the fields that are given, each as YAML. */
function ruleWith(...fields: readonly string[]): string {
  const right = ["name: it", "who: members", "does: routine", "then: allow"];
  const keyOf = (field: string): string => field.slice(0, field.indexOf(":"));
  const kept = right.filter((field) => !fields.some((given) => keyOf(given) === keyOf(field)));
  return `rules:\n  - { ${[...kept, ...fields].join(", ")} }\n`;
}

describe("a policy file that cannot be used", () => {
  test("errors in the middle, each with its line, all of them at once", () => {
    const text = `rules:
  - name: fine
    who: members
    does: read
    then: allow

  - name: broken
    who:
      - members
      - "@oncall"
    were: C0OPS
    does: [routine, delete]
    workloads:
      name: web
      regoin: beijing1
    then:
      approve:
        votes: 0
        expires: soon

  - name: fine too
    who: members
    does: routine
    then: alow
`;

    expect(problemsIn(text)).toMatchInlineSnapshot(`
      "- policy.yaml:10: rule “broken”, who: “@oncall” isn't a valid person or group. Use the ID, because names can change. For a person: profile, ⋮, Copy member ID (starts with U or W). For a user group: ⋮ next to its name, Copy group ID (starts with S). Or use members, guests, outsiders, everyone.
      - policy.yaml:11: rule “broken”: unknown key “were”. Did you mean “where”? Valid keys: name, who, where, does, workloads, images, limits, then, say.
      - policy.yaml:12: rule “broken”, does: “delete” isn't a valid action. Did you mean “deleteJob” or “deleteService”? Use read, routine, disruptive, destructive, anything, an operation such as deleteService, deploy, watch or bindChannel.
      - policy.yaml:15: rule “broken”, workloads: unknown key “regoin”. Did you mean “region”? Valid keys: kind, name, region, account.
      - policy.yaml:18: rule “broken”, then.approve.votes: This must be at least 1. For no approval, use then: allow.
      - policy.yaml:19: rule “broken”, then.approve.expires: This must be a duration from 1m to 30d, such as 30m, 2h or 1d.
      - policy.yaml:24: rule “fine too”, then: unknown key “alow”. Did you mean “allow”? Valid keys: allow, refuse, break-glass, approve."
    `);
  });

  test("whatever else is wrong with it", () => {
    const broken = [
      ["an empty file", ""],
      ["a list", "- name: it"],
      ["no rules", "rules: []"],
      ["rules that are a word", "rules: none"],
      ["a rule that is a word", "rules:\n  - everyone"],
      ["no name, who, does, then", "rules:\n  - where: dm"],
      ["two rules of one name", `${ruleWith("where: dm")}  - { name: it, who: members, does: read, then: allow }`],
      [
        "two rules of one name, beside another mistake",
        `${ruleWith("where: dm")}  - { name: it, who: everybody, does: read, then: allow }`,
      ],
      [
        "two rules of one name, beside one that is a word",
        `${ruleWith("where: dm")}  - everyone\n  - { name: it, who: members, does: read, then: allow }`,
      ],
      [
        "two rules with an empty name",
        `${ruleWith('name: ""')}  - { name: "", who: members, does: read, then: allow }`,
      ],
      [
        "two rules of one name, by an alias",
        "rules:\n  - &it { name: it, who: members, does: read, then: allow }\n  - *it",
      ],
      ["a name of two lines", ruleWith('name: "a\\nb"')],
      ["nobody", ruleWith("who: []")],
      ["a number", ruleWith("who: 5")],
      [
        "a comment that was meant as a channel",
        "rules:\n  - name: it\n    who: members\n    where:\n      - #ops\n    does: read\n    then: allow\n",
      ],
      ["a handle in quotes", ruleWith('who: "@dana"')],
      ["a handle without quotes", ruleWith("who: @dana")],
      ["a short word that is no id", ruleWith("who: SRE")],
      ["a channel's name", ruleWith('where: "#ops"')],
      ["a verb", ruleWith("does: restart")],
      ["two ends", ruleWith("then: { allow: {}, refuse: {} }")],
      ["no end", ruleWith("then: {}")],
      ["votes for what is allowed", ruleWith("then: { allow: { votes: 1 } }")],
      ["approvers by name", ruleWith("then: { approve: { from: members } }")],
      ["fewer people than votes", ruleWith("then: { approve: { votes: 2, from: [U0DANA, U0DANA] } }")],
      ["half a vote", ruleWith("then: { approve: { votes: 1.5 } }")],
      ["a bare number of time", ruleWith("then: { approve: { expires: 30 } }")],
      ["too long a time", ruleWith("then: { approve: { expires: 31d } }")],
      ["reading that waits", ruleWith("does: anything", "then: approve")],
      ["reading that breaks glass", ruleWith("does: [routine, getService]", "then: break-glass")],
      ["a sentence for what is allowed", ruleWith("say: Hello.")],
      ["an empty pattern", ruleWith('workloads: { name: " " }')],
      ["the same key twice", "rules: []\nrules: []"],
      ["a tab", "rules:\n\t- name: it"],
      ["a list that is never closed", "rules:\n  - { name: it, who: [members\n"],
      ["two documents", "rules: []\n---\nrules: []"],
      [
        "aliases that multiply",
        `a: &a [x]\n${Array.from({ length: 9 }, (_, at) => `b${at}: &b${at} [${`*${at === 0 ? "a" : `b${at - 1}`}, `.repeat(9)}]`).join("\n")}\n`,
      ],
    ] as const;

    const texts = broken.map(([name, text]) => `${name}:\n${problemsIn(text)}`);

    expect(texts.join("\n")).toMatchInlineSnapshot(`
      "an empty file:
      - policy.yaml:1: The file must contain rules: with a list of rules.
      a list:
      - policy.yaml:1: The file must contain rules: with a list of rules.
      no rules:
      - policy.yaml:1: There are no rules, so nobody could do anything. Add at least one.
      rules that are a word:
      - policy.yaml:1: rules: is missing, or isn't a list of rules.
      a rule that is a word:
      - policy.yaml:2: rule 1: A rule must be a map with name, who, does and then.
      no name, who, does, then:
      - policy.yaml:2: rule 1, name: This is missing.
      - policy.yaml:2: rule 1, who: This is missing.
      - policy.yaml:2: rule 1, does: This is missing.
      - policy.yaml:2: rule 1, then: This must be allow, refuse, break-glass or approve.
      two rules of one name:
      - policy.yaml:3: rule “it”: line 2 has a rule with the same name. Names must be unique, because cards and history show them.
      two rules of one name, beside another mistake:
      - policy.yaml:3: rule “it”, who: “everybody” isn't a valid person or group. Did you mean “everyone”?
      - policy.yaml:3: rule “it”: line 2 has a rule with the same name. Names must be unique, because cards and history show them.
      two rules of one name, beside one that is a word:
      - policy.yaml:3: rule 2: A rule must be a map with name, who, does and then.
      - policy.yaml:4: rule “it”: line 2 has a rule with the same name. Names must be unique, because cards and history show them.
      two rules with an empty name:
      - policy.yaml:2: rule 1, name: A rule's name must be one line of 1 to 60 characters.
      - policy.yaml:3: rule 2, name: A rule's name must be one line of 1 to 60 characters.
      two rules of one name, by an alias:
      - policy.yaml:3: rule “it”: line 2 has a rule with the same name. Names must be unique, because cards and history show them.
      a name of two lines:
      - policy.yaml:2: rule 1, name: A rule's name must be one line of 1 to 60 characters.
      nobody:
      - policy.yaml:2: rule “it”, who: This list is empty, so the rule would never match. Add at least one entry.
      a number:
      - policy.yaml:2: rule “it”, who: This must be text. Put it in quotes.
      a comment that was meant as a channel:
      - policy.yaml:5: rule “it”, where: This is empty. In YAML, # starts a comment. Use IDs such as C0123ABCD instead of Slack names.
      a handle in quotes:
      - policy.yaml:2: rule “it”, who: “@dana” isn't a valid person or group. Use the ID, because names can change. For a person: profile, ⋮, Copy member ID (starts with U or W). For a user group: ⋮ next to its name, Copy group ID (starts with S). Or use members, guests, outsiders, everyone.
      a handle without quotes:
      - policy.yaml:2: Invalid YAML: Plain value cannot start with reserved character @. Use IDs such as S0123ABCD and C0123ABCD instead of names such as @oncall and #ops.
      a short word that is no id:
      - policy.yaml:2: rule “it”, who: “SRE” isn't a valid person or group. Use the ID, because names can change. For a person: profile, ⋮, Copy member ID (starts with U or W). For a user group: ⋮ next to its name, Copy group ID (starts with S). Or use members, guests, outsiders, everyone.
      a channel's name:
      - policy.yaml:2: rule “it”, where: “#ops” isn't a valid place. Use the ID, because names can change. It is at the end of the channel's details in Slack, and starts with C or G. Or use dm, channels.
      a verb:
      - policy.yaml:2: rule “it”, does: “restart” isn't a valid action. Did you mean “restartService”? Use read, routine, disruptive, destructive, anything, an operation such as deleteService, deploy, watch or bindChannel.
      two ends:
      - policy.yaml:2: rule “it”, then: This must be exactly one of allow, refuse, break-glass or approve.
      no end:
      - policy.yaml:2: rule “it”, then: This must be exactly one of allow, refuse, break-glass or approve.
      votes for what is allowed:
      - policy.yaml:2: rule “it”, then.allow: unknown key “votes”. This takes no settings.
      approvers by name:
      - policy.yaml:2: rule “it”, then.approve.from: “members” isn't a valid approver. Did you mean “channel-members”?
      fewer people than votes:
      - policy.yaml:2: rule “it”, then.approve.votes: This needs 2 approvals, but from lists fewer people. Require fewer, or add people to from.
      half a vote:
      - policy.yaml:2: rule “it”, then.approve.votes: This must be a whole number of approvals from 1 to 20.
      a bare number of time:
      - policy.yaml:2: rule “it”, then.approve.expires: This must be a duration from 1m to 30d, such as 30m, 2h or 1d.
      too long a time:
      - policy.yaml:2: rule “it”, then.approve.expires: This must be a duration from 1m to 30d, such as 30m, 2h or 1d.
      reading that waits:
      - policy.yaml:2: rule “it”, does: Reads can't need an approval or break-glass. Use routine, disruptive, destructive or write operations here, and add a separate rule for reads.
      reading that breaks glass:
      - policy.yaml:2: rule “it”, does: Reads can't need an approval or break-glass. Use routine, disruptive, destructive or write operations here, and add a separate rule for reads.
      a sentence for what is allowed:
      - policy.yaml:2: rule “it”, say: Only rules with then: refuse can have say.
      an empty pattern:
      - policy.yaml:2: rule “it”, workloads.name: This is empty. Use a name, or a pattern such as shop-*.
      the same key twice:
      - policy.yaml:2: Invalid YAML: Map keys must be unique.
      a tab:
      - policy.yaml:2: Invalid YAML: Tabs are not allowed as indentation.
      a list that is never closed:
      - policy.yaml:3: Invalid YAML: Flow sequence in block collection must be sufficiently indented and end with a ].
      - policy.yaml:3: Invalid YAML: Flow map in block collection must be sufficiently indented and end with a }.
      two documents:
      - policy.yaml:2: A second document starts here (---). Keep all rules in one.
      aliases that multiply:
      - policy.yaml:1: Invalid YAML: Excessive alias count indicates a resource exhaustion attack."
    `);
  });
});
