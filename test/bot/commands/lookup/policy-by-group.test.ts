import { expect, test } from "vitest";
import { readPolicy } from "../../../../src/bot/policy/read-policy.ts";
import { drawn } from "../../views/support/drawn.ts";
import { service } from "../../views/support/workloads.ts";
import { byGroup } from "../../../support/policies.ts";
import { answerTo } from "../support/script.ts";
import { type Asker, underPolicy } from "../support/under-policy.ts";

const policy = readPolicy(byGroup, "policy.yaml");
const onCall: Asker = { groups: ["S0ONCALL"] };
const inGeneral: Asker = { channelId: "C0GENERAL" };

const about = (asker: Asker) =>
  underPolicy(policy, asker, {
    services: [service("web", { target_instance_size: 2 })],
    couldApprove: ["Alex Kim", "Omar Haddad"],
  });

async function told(text: string, asker: Asker = {}): Promise<string> {
  return drawn(await answerTo(text, about(asker)));
}

test("help differs by person, and by channel", async () => {
  const verbs = async (asker: Asker) =>
    [...(await told("help all", asker)).matchAll(/^• \/gantry (\S+)/gmu)].map(([, verb]) => verb);
  const danas = await verbs({});
  const alexs = await verbs(onCall);
  const elsewhere = await verbs(inGeneral);

  expect(danas).not.toContain("restart");
  expect(alexs).toContain("restart");
  expect(danas).toContain("scale");
  expect(elsewhere).not.toContain("scale");
  // A job may be deleted by no rule either.
  for (const list of [danas, alexs, elsewhere]) expect(list).not.toContain("delete");
});

test("can-i names the rule that decides, what is missing, and who could approve", async () => {
  expect(await told("can-i scale web 4")).toMatchInlineSnapshot(`
    "⏳ Yes, you can run scale web here with 2 approvals.
    Approvers: members of 1 user group. It expires after 20 minutes.
    Can approve now: Alex Kim, Omar Haddad.
    Policy: ops scales in its channel.
    It needs a reason. Add --reason TEXT.
    It would change:
    • instances 2 → 4"
  `);
  expect(await told("can-i restart web", onCall)).toMatchInlineSnapshot(`
    "✅ Yes, you can run restart web here.
    Policy: on call restarts.
    It would change:
    • restarts all 2 instances"
  `);
  expect(await told("can-i delete service/web")).toMatchInlineSnapshot(`
    "🚫 No. You can't delete web. Services are deleted by the platform team; write to them.
    If this is wrong, contact your Gantry admin.
    Policy: nobody deletes."
  `);
  expect(await told("can-i restart web")).toMatchInlineSnapshot(`
    "🚫 No. You can't restart web: no policy rule allows it.
    Ask your Gantry admin to add a policy rule for it."
  `);
});
