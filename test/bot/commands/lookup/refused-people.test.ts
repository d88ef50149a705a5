import { describe, expect, test } from "vitest";
import { findCommand } from "../../../../src/bot/commands/grammar/find-command.ts";
import { formOutlook } from "../../../../src/bot/commands/lookup/authorize.ts";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import type { FormValues } from "../../../../src/bot/commands/forms/form.ts";
import { defaultPolicy, readPolicy } from "../../../../src/bot/policy/read-policy.ts";
import type { Standing } from "../../../../src/bot/policy/policy.ts";
import { refusalMessage } from "../../../../src/bot/views/messages/error-messages.ts";
import { drawn } from "../../views/support/drawn.ts";
import { service } from "../../views/support/workloads.ts";
import { answerTo, type Scripted, proposalTo } from "../support/script.ts";
import { underPolicy } from "../support/under-policy.ts";

const script = { services: [service("web", { target_instance_size: 2 })] };

/** Matches names, states and counts of workloads. */
const telling = /Did you mean|already|2 instances|instances 2|is a job|now has|would change|\b[Rr]unning\b/u;

/** What the person reads, and what history has, when these words are refused. */
async function refused(words: string, town: Scripted) {
  const proposal = await proposalTo(words, town);
  if (proposal.kind !== "refused") throw new Error(`${words} was ${proposal.kind}`);
  const { refusal, workload } = proposal;
  return { told: drawn(refusalMessage({ kind: "policy", verdict: refusal, command: "/gantry" })), workload };
}

function outlook(verb: string, values: FormValues, { context }: Scripted) {
  return formOutlook(findCommand(commands, verb), values, context);
}

/** The refusal of a form; undefined for one that opens. */
async function formRefusal(verb: string, values: FormValues, town: Scripted) {
  const found = await outlook(verb, values, town);
  return found.kind === "refused" ? found : undefined;
}

const writes: readonly (readonly [words: string, workload: object])[] = [
  ["scale wev 2", { kind: "service", name: "wev" }],
  ["scale web 2", { kind: "service", name: "web" }],
  ["scale job/web 2", { kind: "job", name: "web" }],
  ["create service web --image test/web", { kind: "service", name: "web" }],
  ["create job nightly --image test/batch", { kind: "job", name: "nightly" }],
  ["memory web 512", { kind: "service", name: "web" }],
  ["domains web add shop.example.com", { kind: "service", name: "web" }],
  ["start web", { kind: "service", name: "web" }],
  ["restart wbe", { kind: "service", name: "wbe" }],
  ["delete wev", { kind: undefined, name: "wev" }],
  ['restart web --break-glass --reason "now"', { kind: "service", name: "web" }],
];

describe.each<Standing>(["guest", "outsider", "deactivated"])("somebody without any rights (%s)", (standing) => {
  test.each(writes)("learns nothing from %s, and nothing is read", async (words, workload) => {
    const town = underPolicy(defaultPolicy, { standing }, script);

    const answer = await refused(words, town);

    expect(answer.told).toMatch(/^🚫 /u);
    expect(answer.told).not.toMatch(telling);
    expect(answer.workload).toMatchObject(workload);
    expect(town.calls).toEqual([]);
  });

  test.each(writes)("learns nothing from can-i %s", async (words) => {
    const town = underPolicy(defaultPolicy, { standing }, script);

    const answer = drawn(await answerTo(`can-i ${words}`, town));

    expect(answer).toMatch(/^🚫 No\./u);
    expect(answer).not.toMatch(telling);
    expect(town.calls).toEqual([]);
  });

  test.each<[string, FormValues]>([
    ["scale", {}],
    ["scale", { name: "service/web" }],
    ["create", { kind: "service", name: "web" }],
    ["delete", {}],
    ["domains", { name: "web" }],
  ])("learns nothing from the form of %s, which is refused when it opens (%o)", async (verb, values) => {
    const town = underPolicy(defaultPolicy, { standing }, script);

    const found = await formRefusal(verb, values, town);

    expect(found?.refusal.why).toMatch(/\S/u);
    expect(found?.refusal.why).not.toMatch(telling);
    expect(town.calls).toEqual([]);
  });
});

test("a refusal after the read shows no diff and no state", async () => {
  const onlyMore = readPolicy(
    `
rules:
  - { name: look, who: members, does: read, then: allow }
  - { name: more is fine, who: members, does: routine, then: allow }
`,
    "policy.yaml",
  );
  const town = underPolicy(onlyMore, {}, script);

  expect((await refused("scale web 2", town)).told).toMatchInlineSnapshot(`
    "🚫 You can't change web: no policy rule allows it.
    Ask your Gantry admin to add a policy rule for it.
    Nothing was changed · to see what you can do: /gantry help"
  `);
  expect(town.calls).toEqual(["getService"]);
  expect(drawn(await answerTo("can-i scale web 1", town))).toMatchInlineSnapshot(`
    "🚫 No. You can't change web: no policy rule allows it.
    Ask your Gantry admin to add a policy rule for it."
  `);
});

describe("a form is refused when policy refuses every way to fill it in", () => {
  test("with the rule's own words", async () => {
    const frozen = readPolicy(
      `rules:
  - { name: all read, who: everyone, does: read, then: allow }
  - { name: no scaling, who: members, does: updateService, then: refuse, say: Scaling is off until Monday. }
`,
      "policy.yaml",
    );

    const found = await formRefusal("scale", {}, underPolicy(frozen));

    expect(found?.refusal.why).toContain("Scaling is off until Monday.");
  });

  test("not for a person who may only break the glass", async () => {
    const glass = readPolicy(
      `
rules:
  - { name: on call may break the glass, who: [S0ONCALL], does: [restartService], then: break-glass }
  - { name: look, who: members, does: read, then: allow }
`,
      "policy.yaml",
    );

    expect(await formRefusal("restart", {}, underPolicy(glass, { groups: ["S0ONCALL"] }))).toBeUndefined();
    expect(await formRefusal("restart", {}, underPolicy(glass))).toMatchObject({ refusal: { kind: "refuse" } });
  });
});

describe("a form asks for a reason", () => {
  const careful = readPolicy(
    `
rules:
  - { name: payments, who: members, does: [routine, disruptive], workloads: { name: pay-* }, then: { approve: { reason: required } } }
  - { name: small, who: members, does: [routine, disruptive], limits: { instances: 2 }, then: { approve: { votes: 1 } } }
  - { name: all, who: members, does: [routine, disruptive], then: { approve: { reason: required } } }
`,
    "policy.yaml",
  );
  const needed = async (verb: string, values: FormValues) =>
    (await outlook(verb, values, underPolicy(careful, {}, script))) as object;

  test("where no way to complete it works without one", async () => {
    expect(await needed("scale", { name: "service/pay-api" })).toEqual({ kind: "open", needsReason: true });
    expect(await needed("restart", { name: "service/pay-api" })).toEqual({ kind: "open", needsReason: true });
  });

  test("not where a size or a name that isn't chosen yet may need none", async () => {
    expect(await needed("scale", { name: "service/web" })).toEqual({ kind: "open", needsReason: false });
    expect(await needed("scale", {})).toEqual({ kind: "open", needsReason: false });
  });
});
