import { expect, test } from "vitest";
import { evaluate } from "../../../src/bot/policy/evaluate.ts";
import { readPolicy } from "../../../src/bot/policy/read-policy.ts";
import type { Verdict } from "../../../src/bot/policy/policy.ts";
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

  expect(texts.join("\n")).toMatchInlineSnapshot(`
    "a bot:
    I don't take requests from bots or apps.
    Ask a person to request it.
    somebody deactivated:
    This Slack account is deactivated.
    Ask somebody else to request it, or have the account reactivated.
    a guest:
    You can't delete “web”: no policy rule allows it for guests.
    Ask a full member of this workspace.
    an outsider:
    You can't delete “web”: no policy rule allows it for people from other organizations.
    Ask a member of the organization that runs Gantry.
    a member:
    You can't create “web”: no policy rule allows it.
    Ask your Gantry admin to add a policy rule for it.
    a rule's own sentence:
    You can't delete “ledger”. The ledger is changed by the bank alone.
    If this is wrong, contact your Gantry admin.
    a rule without a sentence:
    You can't delete “web”: the policy rule “frozen jobs” forbids it.
    If this is wrong, contact your Gantry admin.
    in the wrong channel:
    You can't restart “web”: no policy rule allows it here.
    Request it in #C0OPS or a direct message with me.
    on call, without the flag:
    You can't delete “web”: no policy rule allows it.
    If it can't wait, add \`--break-glass\` and \`--reason\`. It then runs immediately, and the channel sees it.
    a list:
    You can't list workloads: the policy rule “no ledger” may forbid it, and a list shows all names. The ledger is changed by the bank alone.
    Show one workload by name.
    a bare name that may be refused:
    You can't delete “web”: the policy rule “frozen jobs” may forbid it, and it isn't clear whether you mean a service or a job.
    Write \`service/NAME\` or \`job/NAME\`.
    somebody of whom Slack does not tell:
    You can't delete “web”: the policy rule “team” might allow it, but Slack didn't confirm whether you're in the user group S0TEAM.
    Try again in a minute. If this keeps happening, contact your Gantry admin.
    somebody who may need an approval:
    You can't stop “web” yet: the policy rule “newcomers” may need an approval, and Slack didn't confirm whether you're in the user group S0NEW.
    Try again in a minute. If this keeps happening, contact your Gantry admin.
    glass that stays:
    You can't skip the approval: no policy rule allows break-glass here, and “team” needs an approval.
    Request it again without \`--break-glass\`.
    glass of which it is not known:
    You can't skip the approval: the policy rule “night” might allow break-glass, but Slack didn't confirm whether you're in the user group S0ONCALL.
    Try again in a minute. If this keeps happening, contact your Gantry admin. Request it again without \`--break-glass\`."
  `);
});
