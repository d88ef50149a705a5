import { describe, expect, test } from "vitest";
import { PolicyError, readPolicy } from "../../src/policy/read-policy.ts";

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
      "- policy.yaml:10: rule “broken”, who: “@oncall” is nobody that a rule knows. Write the id instead, because a name can be changed: open the person's profile in Slack, ⋮, Copy member ID (it begins with U or W); of a user group, ⋮ beside its name, Copy group ID (it begins with S). Or write members, guests, outsiders, everyone.
      - policy.yaml:11: rule “broken”: “were” is not known here. Did you mean “where”? Known here: name, who, where, does, workloads, then, say.
      - policy.yaml:12: rule “broken”, does: “delete” is nothing that a rule can speak of. Did you mean “deleteJob” or “deleteService”? Write one of read, routine, disruptive, destructive, anything, an operation such as deleteService, or bindChannel.
      - policy.yaml:15: rule “broken”, workloads: “regoin” is not known here. Did you mean “region”? Known here: kind, name, region, account.
      - policy.yaml:18: rule “broken”, then.approve.votes: An approval takes at least 1 vote; use allow where none is needed.
      - policy.yaml:19: rule “broken”, then.approve.expires: This must be a time such as 30m, 2h or 1d, from 1m to 30d.
      - policy.yaml:24: rule “fine too”, then: “alow” is not known here. Did you mean “allow”? Known here: allow, refuse, break-glass, approve."
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

    expect(texts.join("\n\n")).toMatchInlineSnapshot(`
      "an empty file:
      - policy.yaml:1: The file must be a map with rules: and a list of rules under it.

      a list:
      - policy.yaml:1: The file must be a map with rules: and a list of rules under it.

      no rules:
      - policy.yaml:1: There is no rule, so nobody could do anything: write at least one.

      rules that are a word:
      - policy.yaml:1: rules: must stand in the file, with a list of rules under it.

      a rule that is a word:
      - policy.yaml:2: rule 1: A rule must be a map with name, who, does and then.

      no name, who, does, then:
      - policy.yaml:2: rule 1, name: This is missing.
      - policy.yaml:2: rule 1, who: This is missing.
      - policy.yaml:2: rule 1, does: This is missing.
      - policy.yaml:2: rule 1, then: This must be allow, refuse, break-glass or approve.

      two rules of one name:
      - policy.yaml:3: rule “it”: line 2 has a rule of the same name, and cards and history tell rules by their names: choose another one.

      a name of two lines:
      - policy.yaml:2: rule 1, name: A rule's name is one line of 1 to 60 characters.

      nobody:
      - policy.yaml:2: rule “it”, who: This list is empty, so the rule would never match: name somebody or something.

      a number:
      - policy.yaml:2: rule “it”, who: This must be text: put it in quotes, and write no list or map here.

      a comment that was meant as a channel:
      - policy.yaml:5: rule “it”, where: This is empty. In YAML a # begins a comment; Slack's names are not taken here anyway, only ids such as C0123ABCD.

      a handle in quotes:
      - policy.yaml:2: rule “it”, who: “@dana” is nobody that a rule knows. Write the id instead, because a name can be changed: open the person's profile in Slack, ⋮, Copy member ID (it begins with U or W); of a user group, ⋮ beside its name, Copy group ID (it begins with S). Or write members, guests, outsiders, everyone.

      a handle without quotes:
      - policy.yaml:2: This is not YAML: Plain value cannot start with reserved character @. Names such as @oncall and #ops are not taken, only ids such as S0123ABCD and C0123ABCD.

      a short word that is no id:
      - policy.yaml:2: rule “it”, who: “SRE” is nobody that a rule knows. Write the id instead, because a name can be changed: open the person's profile in Slack, ⋮, Copy member ID (it begins with U or W); of a user group, ⋮ beside its name, Copy group ID (it begins with S). Or write members, guests, outsiders, everyone.

      a channel's name:
      - policy.yaml:2: rule “it”, where: “#ops” is no place that a rule knows. Write the id instead, because a name can be changed: it stands at the end of the channel's details in Slack, and begins with C or G. Or write dm, channels.

      a verb:
      - policy.yaml:2: rule “it”, does: “restart” is nothing that a rule can speak of. Did you mean “restartService”? Write one of read, routine, disruptive, destructive, anything, an operation such as deleteService, or bindChannel.

      two ends:
      - policy.yaml:2: rule “it”, then: This must be exactly one of allow, refuse, break-glass or approve.

      no end:
      - policy.yaml:2: rule “it”, then: This must be exactly one of allow, refuse, break-glass or approve.

      votes for what is allowed:
      - policy.yaml:2: rule “it”, then.allow: “votes” is not known here. Nothing can be set here.

      approvers by name:
      - policy.yaml:2: rule “it”, then.approve.from: “members” is nobody who can approve. Did you mean “channel-members”?

      fewer people than votes:
      - policy.yaml:2: rule “it”, then.approve.votes: It takes 2 votes, but names fewer people who could give one: ask for fewer, or name more in from.

      half a vote:
      - policy.yaml:2: rule “it”, then.approve.votes: This must be a whole number of votes, from 1 to 20.

      a bare number of time:
      - policy.yaml:2: rule “it”, then.approve.expires: This must be a time such as 30m, 2h or 1d, from 1m to 30d.

      too long a time:
      - policy.yaml:2: rule “it”, then.approve.expires: This must be a time such as 30m, 2h or 1d, from 1m to 30d.

      reading that waits:
      - policy.yaml:2: rule “it”, does: Reading cannot wait for an approval, nor does it break any glass: write routine, disruptive, destructive or operations that write, and give reading a rule of its own.

      reading that breaks glass:
      - policy.yaml:2: rule “it”, does: Reading cannot wait for an approval, nor does it break any glass: write routine, disruptive, destructive or operations that write, and give reading a rule of its own.

      a sentence for what is allowed:
      - policy.yaml:2: rule “it”, say: Only a rule with then: refuse says something.

      an empty pattern:
      - policy.yaml:2: rule “it”, workloads.name: This is empty: write a name, or a pattern such as shop-*.

      the same key twice:
      - policy.yaml:2: This is not YAML: Map keys must be unique.

      a tab:
      - policy.yaml:2: This is not YAML: Tabs are not allowed as indentation.

      a list that is never closed:
      - policy.yaml:3: This is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ].
      - policy.yaml:3: This is not YAML: Flow map in block collection must be sufficiently indented and end with a }.

      two documents:
      - policy.yaml:2: A second document begins here (---): keep all rules in one.

      aliases that multiply:
      - policy.yaml:1: This is not YAML that can be read: Excessive alias count indicates a resource exhaustion attack."
    `);
  });
});
