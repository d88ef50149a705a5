import { expect, test } from "vitest";
import { evaluate } from "../../src/policy/evaluate.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import type { Verdict } from "../../src/policy/verdict.ts";
import { listOfAll, questionOf } from "./question-of.ts";

const policyOf = (rules: string) => readPolicy(`rules:\n${rules}`, "policy.yaml");

function said(verdict: Verdict): string {
  return verdict.kind === "refuse" ? `${verdict.why}\n${verdict.next}` : verdict.kind;
}

test("what a refused person reads", () => {
  const policy = policyOf(`
  - { name: reading, who: members, does: read, workloads: { name: web-* }, then: allow }
  - { name: no ledger, who: everyone, does: anything, workloads: { name: ledger }, then: refuse, say: The ledger is changed by the bank alone }
  - { name: frozen jobs, who: everyone, does: destructive, workloads: { kind: job }, then: refuse }
  - { name: newcomers, who: S0NEW, does: stopService, then: approve }
  - { name: ops, who: members, where: [C0OPS, dm], does: disruptive, then: allow }
  - { name: night, who: S0ONCALL, does: destructive, then: break-glass }
  - { name: team, who: S0TEAM, does: destructive, then: { approve: { votes: 1 } } }`);
  const general = { kind: "channel", channelId: "C0GENERAL" } as const;

  const asked = [
    ["a bot", questionOf({ person: { standing: "bot" } })],
    ["somebody deactivated", questionOf({ person: { standing: "deactivated" } })],
    ["a guest", questionOf({ person: { standing: "guest" } })],
    ["an outsider", questionOf({ person: { standing: "outsider" } })],
    ["a member", questionOf({ op: "createJob", risk: "routine", workload: { kind: "job" } })],
    ["a rule's own sentence", questionOf({ workload: { name: "ledger" } })],
    ["a rule without a sentence", questionOf({ op: "deleteJob", workload: { kind: "job" } })],
    ["in the wrong channel", questionOf({ where: general, op: "restartService", risk: "disruptive" })],
    ["on call, without the flag", questionOf({ groups: ["S0ONCALL"] })],
    ["a list", questionOf(listOfAll)],
    ["a bare name that may be refused", questionOf({ op: "deleteJob", workload: { kind: undefined } })],
    ["somebody of whom Slack does not tell", questionOf({ groups: "unknown" })],
    ["somebody who may need an approval", questionOf({ op: "stopService", risk: "disruptive", groups: "unknown" })],
    ["glass that stays", questionOf({ groups: ["S0TEAM"], breakGlass: true })],
    [
      "glass of which it is not known",
      questionOf({ person: { inGroup: (id) => id === "S0TEAM" || "unknown" }, breakGlass: true }),
    ],
  ] as const;

  const texts = asked.map(([name, question]) => `${name}:\n${said(evaluate(policy, question))}`);

  expect(texts.join("\n\n")).toMatchInlineSnapshot(`
    "a bot:
    Gantry does nothing for bots and apps.
    Let a person ask for it.

    somebody deactivated:
    This Slack account is deactivated, so Gantry does nothing for it.
    Let somebody else ask for it, or have the account activated again.

    a guest:
    You are a guest here, and no rule lets you delete the service “web” (destructive).
    Ask a full member of this workspace to do it.

    an outsider:
    You are from another organisation, and no rule lets you delete the service “web” (destructive).
    Ask a member of the organisation that runs Gantry to do it.

    a member:
    No rule lets you create the job “web” (routine).
    Ask whoever keeps Gantry's rules to add one for it.

    a rule's own sentence:
    The ledger is changed by the bank alone.
    If that is wrong, tell whoever keeps Gantry's rules: it is the rule “no ledger”.

    a rule without a sentence:
    The rule “frozen jobs” does not let you delete the job “web” (destructive).
    If that is wrong, tell whoever keeps Gantry's rules: it is the rule “frozen jobs”.

    in the wrong channel:
    No rule lets you restart the service “web” (disruptive) here.
    It is possible in the channel C0OPS or a direct message with Gantry: ask there.

    on call, without the flag:
    No rule lets you delete the service “web” (destructive).
    If it cannot wait, ask again with --break-glass and --reason: it runs at once, and the channel is told.

    a list:
    The ledger is changed by the bank alone. The rule “no ledger” refuses this in some cases, and a list shows workloads of every name.
    Ask for one workload by its name.

    a bare name that may be refused:
    The rule “frozen jobs” refuses this in some cases, and it is not said whether a service or a job is meant.
    Write service/NAME or job/NAME.

    somebody of whom Slack does not tell:
    No rule lets you delete the service “web” (destructive). The rule “team” might, but Slack did not tell whether you are in the user group S0TEAM.
    Try again in a minute; if it stays so, Gantry may lack the right to read user groups.

    somebody who may need an approval:
    The rule “newcomers” may ask for an approval before you stop the service “web” (disruptive), but Slack did not tell whether you are in the user group S0NEW.
    Try again in a minute; if it stays so, Gantry may lack the right to read user groups.

    glass that stays:
    No rule lets you break the glass for this; the rule “team” asks for an approval.
    Ask again without --break-glass, and have it approved.

    glass of which it is not known:
    The rule “night” might let you break the glass, but Slack did not tell whether you are in the user group S0ONCALL; the rule “team” asks for an approval.
    Try again in a minute; if it stays so, Gantry may lack the right to read user groups. Or ask again without --break-glass, and have it approved."
  `);
});
