import { describe, expect, test } from "vitest";
import { type Binding, bindingInWords, coversName, outsideLock } from "../../../src/bot/policy/binding.ts";
import { explain, explanationLines } from "../../../src/bot/policy/explain.ts";
import { evaluate } from "../../../src/bot/policy/evaluate.ts";
import { readPolicy } from "../../../src/bot/policy/read-policy.ts";
import { questionOf } from "./question-of.ts";

const made = { boundBy: { userId: "U0DANA", name: "Dana Reyes" }, boundAt: new Date(0) };
const locked: Binding = { region: "beijing1", names: "shop-*", isLocked: true, ...made };
const service = { kind: "service", region: "beijing1", name: "shop-front" } as const; // a literal kind

describe("a lock", () => {
  test.each([
    ["what is inside", service, undefined],
    ["another region", { ...service, region: "us" }, "region beijing1"],
    ["another name", { ...service, name: "web" }, "the names shop-*"],
    ["a job, whatever the region is", { kind: "job", region: "us", name: "shop-job" }, undefined],
    ["a job of another name", { kind: "job", region: "us", name: "nightly" }, "the names shop-*"],
    ["a bare name in another region", { kind: undefined, region: "us", name: "shop-front" }, "region beijing1"],
    ["a list of the region", { ...service, name: undefined }, undefined],
    ["what has no region yet", { ...service, region: undefined }, undefined],
  ] as const)("on %s", (_what, workload, held) => {
    const outside = outsideLock(locked, workload);

    if (held === undefined) expect(outside).toBeUndefined();
    else expect(outside?.why).toContain(`Dana Reyes locked this channel to ${held}. `);
  });

  test("says what to do, and one that is open refuses nothing", () => {
    expect(outsideLock(locked, { ...service, name: "web" })).toMatchInlineSnapshot(`
      {
        "next": "Request it in another channel. To see or change the binding: \`/gantry use\`",
        "why": "Dana Reyes locked this channel to the names shop-*. “web” doesn't match.",
      }
    `);
    expect(outsideLock({ ...locked, isLocked: false }, { ...service, name: "web", region: "us" })).toBeUndefined();
  });
});

test("a binding in words, and which names it covers", () => {
  expect(bindingInWords({ ...locked, account: "team" })).toBe("region beijing1, names shop-*, account team, locked");
  expect([coversName(locked, "shop-1"), coversName(locked, "web"), coversName({}, "web")]).toEqual([true, false, true]);
});

/** Dana binds #ops to beijing1. */
const binding = questionOf({
  op: "bindChannel",
  risk: "routine",
  account: undefined,
  workload: { kind: undefined, region: "beijing1", name: undefined },
});

const verdict = (rule: string, asked = binding) =>
  evaluate(readPolicy(`rules:\n  - { name: it, who: members, ${rule} }`, "policy.yaml"), asked);

describe("a rule about binding a channel", () => {
  test.each([
    "does: routine, then: allow",
    "does: anything, then: allow",
    "does: bindChannel, then: allow",
    'does: bindChannel, workloads: { region: "beijing*" }, then: allow',
    'does: bindChannel, workloads: { name: "*", account: "*" }, then: allow',
  ])("%s opens it", (rule) => {
    expect(verdict(rule)).toMatchObject({ kind: "allow", rule: "it" });
  });

  test.each([
    "does: read, then: allow",
    "does: [disruptive, destructive], then: allow",
    "does: updateService, then: allow",
    "does: routine, workloads: { region: us }, then: allow",
    "does: routine, workloads: { name: web }, then: allow",
    "does: routine, workloads: { kind: service }, then: allow",
    "does: routine, workloads: { account: ops }, then: allow",
    "does: bindChannel, then: break-glass",
  ])("%s does not", (rule) => {
    expect(verdict(rule)).toMatchObject({ kind: "refuse", rule: undefined });
    expect(verdict(rule, { ...binding, breakGlass: true })).toMatchObject({ kind: "refuse" });
  });

  test("that refuses other workloads has no part in it", () => {
    const text = `
rules:
  - { name: never the shop, who: everyone, does: anything, workloads: { name: "shop-*" }, then: refuse }
  - { name: rest, who: members, does: routine, then: allow }
`;

    expect(evaluate(readPolicy(text, "policy.yaml"), binding)).toMatchObject({ kind: "allow", rule: "rest" });
  });

  test("that asks for an approval refuses, and says why", () => {
    expect(verdict("does: routine, then: { approve: {} }")).toMatchInlineSnapshot(`
      {
        "kind": "refuse",
        "next": "Ask your Gantry admin to add a policy rule that allows bindChannel.",
        "rule": "it",
        "why": "You can't bind this channel: the policy rule “it” needs an approval, and binding can't wait for one.",
      }
    `);
  });

  test("that limits images and sizes isn't suggested: a binding has neither", () => {
    const text = `
rules:
  - { name: ours, who: members, does: routine, images: nginx, limits: { instances: 3 }, then: allow }
`;

    expect(evaluate(readPolicy(text, "policy.yaml"), binding)).toEqual({
      kind: "refuse",
      rule: undefined,
      why: "You can't bind this channel: no policy rule allows it.",
      next: "Ask your Gantry admin to add a policy rule for it.",
    });
  });

  test("is explained like any other", () => {
    const text = `
rules:
  - { name: ours, who: members, does: routine, workloads: { name: "shop-*", kind: service }, then: allow }
  - { name: eyes, who: members, does: bindChannel, then: { approve: {} } }
`;

    expect(explanationLines(explain(readPolicy(text, "policy.yaml"), binding)).join("\n")).toMatchInlineSnapshot(`
      "May Dana Reyes (U0DANA, a full member) bind this channel (routine) in channel C0OPS, region beijing1?
      By policy.yaml:
      1. “ours” (line 3, allow): doesn't match
         kind: the rule is for services; this is a channel binding, which has no workload
         name: the rule is for shop-*; this is a channel binding, which has no workload
      2. “eyes” (line 4, approve): decides
      No. You can't bind this channel: the policy rule “eyes” needs an approval, and binding can't wait for one.
      Ask your Gantry admin to add a policy rule that allows bindChannel."
    `);
  });
});
