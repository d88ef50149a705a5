import { expect, test } from "vitest";
import { explain, explanationLines } from "../../src/policy/explain.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { questionOf } from "./question-of.ts";

const policy = readPolicy(
  `rules:
  - name: reading
    who: members
    does: read
    then: allow
  - name: elsewhere
    who: [S0OTHER, guests]
    where: [C0GENERAL, dm]
    does: anything
    workloads: { kind: job, name: [shop-*, db], region: us, account: dana }
    then: allow
  - name: night
    who: S0ONCALL
    does: destructive
    then: break-glass
  - name: prod
    who: S0TEAM
    does: destructive
    then:
      approve: { votes: 2, from: [channel-members, S0LEADS, U0ALEX], reason: required, expires: 90m, post-in: C0PROD }
`,
  "policy.yaml",
);

test("it names the rules in their order, why each does not match, and the one that decides", () => {
  const lines = explanationLines(explain(policy, questionOf({ groups: ["S0TEAM"] })));

  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "May Dana Reyes (U0DANA, a full member) delete the service “web” (destructive) in the channel C0OPS, region beijing1, account ops?
    By policy.yaml:
    1. “reading” (line 2, allow): does not match
       does: the rule is for read; this is to delete the service “web” (destructive)
    2. “elsewhere” (line 6, allow): does not match
       where: the rule is for C0GENERAL, dm; this is the channel C0OPS
       kind: the rule is for jobs; this is a service
       name: the rule is for shop-*, db; this is web
       region: the rule is for us; this is beijing1
       account: the rule is for dana; this is ops
    3. “prod” (line 16, approve): decides
    Yes, after an approval: 2 votes from full members of the channel or the user group S0LEADS or U0ALEX, within 90 minutes; one's own vote does not count; a reason has to be given; the card stands in the channel C0PROD."
  `);
});

test("with broken glass the rules for it come first, and what is not known is said", () => {
  const lines = explanationLines(explain(policy, questionOf({ groups: "unknown", breakGlass: true })));

  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "May Dana Reyes (U0DANA, a full member) delete the service “web” (destructive) in the channel C0OPS, region beijing1, account ops, breaking the glass?
    By policy.yaml:
    1. “night” (line 12, break-glass): may match, which opens nothing
       who: Slack did not tell whether you are in the user group S0ONCALL
    2. “reading” (line 2, allow): does not match
       does: the rule is for read; this is to delete the service “web” (destructive)
    3. “elsewhere” (line 6, allow): does not match
       where: the rule is for C0GENERAL, dm; this is the channel C0OPS
       kind: the rule is for jobs; this is a service
       name: the rule is for shop-*, db; this is web
       region: the rule is for us; this is beijing1
       account: the rule is for dana; this is ops
    4. “prod” (line 16, approve): may match, which opens nothing
       who: Slack did not tell whether you are in the user group S0TEAM
    No. No rule lets you delete the service “web” (destructive). The rule “night” might, but Slack did not tell whether you are in the user group S0ONCALL.
    Try again in a minute; if it stays so, Gantry may lack the right to read user groups."
  `);
});

test("it is plain data too", () => {
  const { rules, verdict } = explain(policy, questionOf({ groups: ["S0ONCALL"], breakGlass: true }));

  expect(rules).toEqual([{ rule: "night", line: 12, end: "break-glass", match: "yes", decides: true, because: [] }]);
  expect(verdict).toEqual({ kind: "break-glass", rule: "night" });
});

test("for a bot no rule is looked at", () => {
  const lines = explanationLines(explain(policy, questionOf({ person: { standing: "bot" } })));

  expect(lines.slice(1)).toEqual([
    "By policy.yaml:",
    "No rule was looked at.",
    "No. Gantry does nothing for bots and apps.",
    "Let a person ask for it.",
  ]);
});
