import { expect, test } from "vitest";
import { explain, explanationLines } from "../../../src/bot/policy/explain.ts";
import { readPolicy } from "../../../src/bot/policy/read-policy.ts";
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
    "May Dana Reyes (U0DANA, a full member) delete service “web” (destructive) in channel C0OPS, region beijing1, account ops?
    By policy.yaml:
    1. “reading” (line 2, allow): doesn't match
       does: the rule is for read; this is to delete service “web” (destructive)
    2. “elsewhere” (line 6, allow): doesn't match
       where: the rule is for C0GENERAL, dm; this is channel C0OPS
       kind: the rule is for jobs; this is a service
       name: the rule is for shop-*, db; this is web
       region: the rule is for us; this is beijing1
       account: the rule is for dana; this is ops
    3. “prod” (line 16, approve): decides
    Yes, with 2 approvals from full members of the channel or user group S0LEADS or U0ALEX, within 90 minutes; the requester can't approve; a reason is required; the card goes to channel C0PROD."
  `);
});

test("with broken glass the rules for it come first, and what is not known is said", () => {
  const lines = explanationLines(explain(policy, questionOf({ groups: "unknown", breakGlass: true })));

  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "May Dana Reyes (U0DANA, a full member) delete service “web” (destructive) in channel C0OPS, region beijing1, account ops, with --break-glass?
    By policy.yaml:
    1. “night” (line 12, break-glass): might match, so it allows nothing
       who: Slack didn't confirm whether you're in the user group S0ONCALL
    2. “reading” (line 2, allow): doesn't match
       does: the rule is for read; this is to delete service “web” (destructive)
    3. “elsewhere” (line 6, allow): doesn't match
       where: the rule is for C0GENERAL, dm; this is channel C0OPS
       kind: the rule is for jobs; this is a service
       name: the rule is for shop-*, db; this is web
       region: the rule is for us; this is beijing1
       account: the rule is for dana; this is ops
    4. “prod” (line 16, approve): might match, so it allows nothing
       who: Slack didn't confirm whether you're in the user group S0TEAM
    No. You can't delete “web”: the policy rule “night” might allow it, but Slack didn't confirm whether you're in the user group S0ONCALL.
    Try again in a minute. If this keeps happening, contact your Gantry admin."
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
    "No rule was checked.",
    "No. I don't take requests from bots or apps.",
    "Ask a person to request it.",
  ]);
});
