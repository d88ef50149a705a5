import { describe, expect, test } from "vitest";
import { evaluate, evaluateAtBest } from "../../../src/bot/policy/evaluate.ts";
import { explain, explanationLines } from "../../../src/bot/policy/explain.ts";
import { type PolicyError, readPolicy } from "../../../src/bot/policy/read-policy.ts";
import type { Footprint, Verdict } from "../../../src/bot/policy/policy.ts";
import { questionOf } from "./question-of.ts";

const policyOf = (rules: string) => readPolicy(`rules:\n${rules}`, "policy.yaml");

const team = policyOf(`
  - { name: no leaks, who: everyone, does: [deploy, createService], images: evil/*, then: refuse }
  - { name: our images, who: members, does: [routine, disruptive], images: [registry.example.com/shop/*, nginx], limits: { instances: 20, memory: 4Gi }, then: allow }`);

type Running = { readonly image?: string; readonly memoryMiB?: number };

const running = (instances: number | undefined, ...containers: Running[]): Footprint => ({
  containers: containers.map(({ image, memoryMiB = 512 }) => ({ image, memoryMiB })),
  instances,
});

const deploys = (footprint: Footprint | undefined) => questionOf({ op: "deploy", risk: "disruptive", footprint });

function said(verdict: Verdict): string {
  return verdict.kind === "refuse" ? `${verdict.why}\n${verdict.next}` : verdict.kind;
}

test("what a person reads whose image or size no rule allows", () => {
  const asked = [
    ["an allowed image", running(3, { image: "registry.example.com/shop/web:1.5" })],
    ["another image", running(3, { image: "other/web:1.5" })],
    ["one of two", running(3, { image: "nginx" }, { image: "other/proxy" })],
    ["too many instances", running(30, { image: "nginx" })],
    ["too much memory together", running(2, { image: "nginx", memoryMiB: 3000 }, { image: "nginx", memoryMiB: 2000 })],
    ["no memory limit", running(2, { image: "nginx", memoryMiB: 0 })],
    ["too much of both", running(30, { image: "other/web" })],
    ["an image that isn't reported", running(3, {})],
    ["a forbidden image beside a good one", running(3, { image: "nginx" }, { image: "evil/miner" })],
    ["no known size", running(undefined, { image: "nginx" })],
    ["an odd reference", running(3, { image: "registry.example.com./shop/web" })],
  ] as const;

  const texts = asked.map(([name, footprint]) => `${name}:\n${said(evaluate(team, deploys(footprint)))}`);

  expect(texts.join("\n")).toMatchInlineSnapshot(`
    "an allowed image:
    allow
    another image:
    You can't change the version of “web”: no policy rule allows the image “other/web:1.5”.
    The policy rule “our images” is for registry.example.com/shop/* and nginx.
    one of two:
    You can't change the version of “web”: no policy rule allows the image “other/proxy”.
    The policy rule “our images” is for registry.example.com/shop/* and nginx.
    too many instances:
    You can't change the version of “web”: no policy rule allows 30 instances.
    The policy rule “our images” is for up to 20 instances.
    too much memory together:
    You can't change the version of “web”: no policy rule allows 5000 MiB of memory for each instance.
    The policy rule “our images” is for up to 4096 MiB of memory for each instance.
    no memory limit:
    You can't change the version of “web”: no policy rule allows instances without a memory limit.
    The policy rule “our images” is for up to 4096 MiB of memory for each instance.
    too much of both:
    You can't change the version of “web”: no policy rule allows the image “other/web” and 30 instances.
    The policy rule “our images” is for registry.example.com/shop/* and nginx, up to 20 instances.
    an image that isn't reported:
    You can't change the version of “web”: the policy rule “no leaks” may forbid it, and it isn't known which image it runs.
    Ask your Gantry admin for a policy rule that doesn't depend on it.
    a forbidden image beside a good one:
    You can't change the version of “web”: the policy rule “no leaks” forbids it.
    If this is wrong, contact your Gantry admin.
    no known size:
    You can't change the version of “web”: the policy rule “our images” might allow it, but it isn't known how many instances it runs.
    Ask your Gantry admin for a policy rule that doesn't depend on it.
    an odd reference:
    You can't change the version of “web”: the policy rule “no leaks” may forbid it, and the rule can't be compared with the image “registry.example.com./shop/web”.
    Name the image as the rule does, by its tag or by its digest."
  `);
});

test("a creation without a memory limit is told how to give one", () => {
  const question = questionOf({
    op: "createService",
    risk: "routine",
    footprint: { containers: [{ image: "nginx", memoryMiB: undefined }], instances: 1 },
  });

  expect(said(evaluate(team, question))).toMatchInlineSnapshot(`
    "You can't create “web”: the policy rule “our images” might allow it, but it isn't known how much memory it may use.
    Add \`--memory\`."
  `);
});

describe("a rule with growth", () => {
  const policy = policyOf(`
  - { name: steps, who: members, does: [updateService, createService, startService], limits: { growth: 3 }, then: allow }`);
  const scales = (instances: number | undefined, grownFrom: Footprint["grownFrom"]) =>
    said(
      evaluate(
        policy,
        questionOf({ op: "updateService", risk: "routine", footprint: { containers: [], instances, grownFrom } }),
      ),
    );

  test("is about changes to so many times the instances, and about every small number", () => {
    const numbers = [10, 11, 12, 13] as const;
    expect(numbers.map((after) => scales(after, 4))).toEqual(["allow", "allow", "allow", expect.any(String)]);
    expect(scales(10, 0)).toBe("allow");
    expect(scales(10, "unknown")).toBe("allow");
    expect(scales(500, undefined)).toBe("allow");
    expect([scales(500, 2), scales(500, "unknown"), scales(undefined, 2)].join("\n\n")).toMatchInlineSnapshot(`
      "You can't change “web”: no policy rule allows 2 → 500 instances.
      The policy rule “steps” is for up to 3 times as many instances, or 10.

      You can't change “web”: the policy rule “steps” might allow it, but it isn't known how many instances it runs.
      Ask your Gantry admin for a policy rule that doesn't depend on it.

      You can't change “web”: the policy rule “steps” might allow it, but it isn't known how many instances it runs.
      Ask your Gantry admin for a policy rule that doesn't depend on it."
    `);
  });

  test("is about every change that keeps their number, and isn't known before the whole command is", () => {
    expect(said(evaluate(policy, questionOf({ op: "startService", risk: "routine" })))).toBe("allow");
    expect(said(evaluate(policy, questionOf({ op: "createService", risk: "routine" })))).toContain("might allow it");
    expect(evaluateAtBest(policy, questionOf({ op: "createService", risk: "routine" })).kind).toBe("allow");
  });
});

test("a rule that refuses the rest doesn't hide which images are allowed", () => {
  const policy = policyOf(`
  - { name: ours, who: members, does: deploy, images: shop/*, then: allow }
  - { name: the rest, who: everyone, does: deploy, then: refuse }`);

  expect(said(evaluate(policy, deploys(running(3, { image: "other/web" }))))).toMatchInlineSnapshot(`
    "You can't change the version of “web”: the policy rule “the rest” forbids it.
    The policy rule “ours” is for shop/*."
  `);
});

test("`explain` says which image and which size the rule is for", () => {
  const lines = explanationLines(explain(team, deploys(running(30, { image: "other/web:1", memoryMiB: 5000 }))));

  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "May Dana Reyes (U0DANA, a full member) change the version of service “web” (disruptive) in channel C0OPS, region beijing1, account ops, image other/web:1, 30 instances, 5000 MiB of memory for each instance?
    By policy.yaml:
    1. “no leaks” (line 3, refuse): doesn't match
       image: the rule is for evil/*; this is other/web:1
    2. “our images” (line 4, allow): doesn't match
       image: the rule is for registry.example.com/shop/*, nginx; this is other/web:1
       instances: the rule is for up to 20 instances; this is 30 instances
       memory: the rule is for up to 4096 MiB of memory for each instance; this is 5000 MiB of memory for each instance
    No. You can't change the version of “web”: no policy rule allows the image “other/web:1”, 30 instances and 5000 MiB of memory for each instance.
    The policy rule “our images” is for registry.example.com/shop/* and nginx, up to 20 instances, up to 4096 MiB of memory for each instance."
  `);
});

describe("`deploy` in does", () => {
  const policy = policyOf(`
  - { name: deploys, who: members, does: deploy, then: allow }
  - { name: updates, who: members, does: updateService, then: { approve: {} } }`);

  test("is about other images and ways back, and no other update", () => {
    expect(evaluate(policy, questionOf({ op: "deploy", risk: "disruptive" })).rule).toBe("deploys");
    expect(evaluate(policy, questionOf({ op: "deploy", risk: "routine" })).rule).toBe("deploys");
    expect(evaluate(policy, questionOf({ op: "updateService", risk: "disruptive" })).rule).toBe("updates");
  });

  test("a rule about updates is about deploys, too", () => {
    const [, updates] = policy.rules;
    const older = { ...policy, rules: updates === undefined ? [] : [updates] };

    expect(evaluate(older, questionOf({ op: "deploy", risk: "disruptive" }))).toMatchObject({ rule: "updates" });
  });
});

test("what can't be meant is an error with a sentence", () => {
  const problems = (line: string): string => {
    try {
      policyOf(`  - { name: it, who: members, ${line} }`);
      return "none";
    } catch (error) {
      return (error as PolicyError).problems.map(({ sentence }) => sentence).join("\n"); // it throws nothing else
    }
  };
  const lines = [
    "does: routine, then: allow, images: '*/web'",
    "does: routine, then: allow, images: []",
    "does: read, then: allow, images: nginx",
    "does: anything, then: allow, limits: { instances: 3 }",
    "does: bindChannel, then: allow, limits: { instances: 3 }",
    "does: routine, then: allow, limits: { instances: 0 }",
    "does: routine, then: allow, limits: { memory: 4gb }",
    "does: routine, then: allow, limits: { growth: 0.5 }",
    "does: routine, then: allow, limits: {}",
    "does: routine, then: allow, limits: { mem: 4Gi }",
    "does: routine, then: refuse, limits: { instances: 3 }",
  ];

  expect(lines.map(problems).join("\n")).toMatchInlineSnapshot(`
    "rule “it”, images: “*/web” isn't an image or a pattern of images. Write one such as nginx, nginx:1.*, shop/* or registry.example.com/shop/*.
    rule “it”, images: This list is empty, so the rule would never match. Add at least one entry.
    rule “it”, images: Only changes of workloads have images and a size. Use routine, disruptive, destructive or write operations in does, and add a separate rule for the rest.
    rule “it”, limits: Only changes of workloads have images and a size. Use routine, disruptive, destructive or write operations in does, and add a separate rule for the rest.
    rule “it”, limits: Only changes of workloads have images and a size. Use routine, disruptive, destructive or write operations in does, and add a separate rule for the rest.
    rule “it”, limits.instances: This must be a whole number of instances, at least 1.
    rule “it”, limits.memory: “4gb” isn't a memory size. Did you mean 4Gi?
    rule “it”, limits.growth: This must be a number from 1, such as 3: how many times the instances that it has.
    rule “it”, limits: This is empty. Add instances, memory or growth.
    rule “it”, limits: unknown key “mem”. Did you mean “memory”? Valid keys: instances, memory, growth.
    rule “it”, limits: This would refuse only small workloads. Add limits to a rule that allows: it doesn't match larger ones."
  `);
});

test("before the image is known, a rule about images that may need an approval doesn't hide one that takes it", () => {
  const policy = policyOf(`
  - { name: newcomers, who: S0NEW, does: deploy, images: nginx, then: { approve: { votes: 2 } } }
  - { name: small services, who: members, does: deploy, limits: { instances: 20 }, then: { approve: { votes: 1 } } }`);
  const asked = questionOf({ op: "deploy", risk: "disruptive", groups: "unknown" });

  expect(evaluateAtBest(policy, asked)).toMatchObject({ kind: "approve", rule: "small services" });
  expect(evaluate(policy, { ...asked, footprint: running(3, { image: "shop/web" }) })).toMatchObject({
    rule: "small services",
  });
});
