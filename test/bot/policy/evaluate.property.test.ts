import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explain } from "../../../src/bot/policy/explain.ts";
import { bestOutcome, evaluate, evaluateAtBest } from "../../../src/bot/policy/evaluate.ts";
import { operationFacts } from "../../../src/bot/policy/operation-facts.ts";
import type { Policy, Rule, Verdict } from "../../../src/bot/policy/policy.ts";
import { anyFacts, anyPolicy, type Facts, footprints, questionFrom, worldsOf } from "./policy-arbitrary.ts";

/** Whether a rule is about a question of which everything is known: written once more, as plainly as can be. */
function isAbout(rule: Rule, { standing, membership, op, risk, workload, where, account, footprint }: Facts): boolean {
  const isLike = (patterns: readonly string[] | undefined, text: string | undefined) =>
    patterns === undefined ||
    patterns.some((pattern) => new RegExp(`^${pattern.replaceAll("*", ".*")}$`, "u").test(text ?? "(none)"));
  const words = [
    `${standing}s`,
    "everyone",
    "U0DANA",
    ...Object.keys(membership).filter((id) => membership[id] === true),
  ];
  const places = [where.kind === "dm" ? "dm" : "channels", where.channelId];
  const deeds: string[] = [
    "anything",
    op,
    ...(op === "deploy" ? ["updateService"] : []),
    ...(operationFacts[op].effect === "read" ? ["read"] : [risk ?? ""]),
  ];
  return (
    rule.who.some((word) => words.includes(word)) &&
    (rule.where === undefined || rule.where.some((word) => places.includes(word))) &&
    rule.does.some((word) => deeds.includes(word)) &&
    (rule.kinds === undefined || rule.kinds.length === 2 || rule.kinds.some((kind) => kind === workload.kind)) &&
    isLike(rule.names, workload.name) &&
    isLike(rule.regions, workload.region) &&
    isLike(rule.accounts, account) &&
    (rule.images === undefined || rule.images.some((pattern) => isImageOf(pattern, footprint))) &&
    (footprint?.instances ?? 0) <= (rule.limits?.instances ?? Infinity) &&
    (footprint?.containers?.[0]?.memoryMiB ?? 0) <= (rule.limits?.memoryMiB ?? Infinity) &&
    isStep(rule.limits?.growth, { op, footprint }) &&
    // What has no size is no step, and isn't within a size either.
    ((rule.limits?.instances ?? rule.limits?.memoryMiB) === undefined || footprint !== undefined)
  );
}

/** Up to ten instances, no step is big, and what keeps their number is none. */
function isStep(growth: number | undefined, { op, footprint }: Pick<Facts, "op" | "footprint">): boolean {
  const { instances = 0, grownFrom } = footprint ?? {};
  const isSized = op === "createService" || op === "updateService";
  if (growth === undefined || !isSized || grownFrom === undefined || instances <= 10) return true;
  return grownFrom !== "unknown" && instances <= growth * grownFrom;
}

function isImageOf(pattern: string, footprint: Facts["footprint"]): boolean {
  const image = footprint?.containers?.[0]?.image ?? "(none)";
  return pattern === "*" ? footprint !== undefined : image.startsWith(pattern.replace("*", ""));
}

/** The rules of the README, without any word on what is not known. */
function plainly({ rules }: Policy, facts: Facts): { kind: Verdict["kind"]; rule: string | undefined } {
  if (facts.standing === "bot" || facts.standing === "deactivated") return { kind: "refuse", rule: undefined };
  const first = (kinds: readonly string[]) =>
    rules.find((rule) => kinds.includes(rule.end.kind) && isAbout(rule, facts));
  const isBinding = facts.op === "bindChannel";
  const glass = facts.breakGlass && !isBinding ? first(["break-glass", "refuse"]) : undefined;
  if (glass?.end.kind === "break-glass") return { kind: "break-glass", rule: glass.name };
  const rule = first(["allow", "approve", "refuse"]);
  const kind = rule?.end.kind ?? "refuse";
  return { kind: kind === "approve" && (facts.breakGlass || isBinding) ? "refuse" : kind, rule: rule?.name };
}

const strictness = { allow: 0, "break-glass": 0, approve: 1, "approve-with-reason": 1, refuse: 2 } as const;

describe("for any policy and any question", () => {
  test("the answer is the same each time, and explain gives the same one with the rule that decides", () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const verdict = evaluate(policy, questionFrom(facts));
        const { rules, verdict: explained } = explain(policy, questionFrom(facts));

        expect(evaluate(policy, questionFrom(facts))).toEqual(verdict);
        expect(explained).toEqual(verdict);
        expect(rules.filter(({ decides }) => decides).map(({ rule }) => rule)).toEqual(
          verdict.rule === undefined ? [] : [verdict.rule],
        );
        if (verdict.kind === "refuse") expect(verdict.why.length * verdict.next.length).toBeGreaterThan(0);
      }),
    );
  });

  test("where everything is known, the first rule that matches decides", () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, fc.nat(), (policy, facts, at) => {
        const worlds = worldsOf(facts);
        const world = worlds[at % worlds.length] ?? facts;

        const { kind, rule } = evaluate(policy, questionFrom(world));

        expect({ kind, rule }).toEqual(plainly(policy, world));
      }),
    );
  });

  test("what is not known never opens more than the strictest of all that may be the case", () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const { kind } = evaluate(policy, questionFrom(facts));

        for (const world of worldsOf(facts)) {
          expect(strictness[kind]).toBeGreaterThanOrEqual(strictness[plainly(policy, world).kind]);
        }
      }),
    );
  });

  test("before it is known what would run, the answer is at least as good as any later one", () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const { kind } = evaluateAtBest(policy, questionFrom({ ...facts, footprint: undefined }));

        for (const footprint of [undefined, ...footprints]) {
          const later = evaluate(policy, questionFrom({ ...facts, footprint }));
          expect(strictness[kind]).toBeLessThanOrEqual(strictness[later.kind]);
        }
      }),
    );
  });

  test("a group of which Slack does not tell opens nothing that not being in it would not open", () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const unknown = evaluate(
          policy,
          questionFrom({ ...facts, membership: { S0AAA: "unknown", S0BBB: "unknown" } }),
        );
        const none = { ...facts, membership: { S0AAA: false, S0BBB: false } };
        const outside = evaluate(policy, questionFrom(none));
        // A refusal that may apply prevents break-glass: the usual rules decide, as they do without `--break-glass`.
        const isPrevented = outside.kind === "break-glass" && unknown.kind !== "break-glass";
        const expected = isPrevented ? evaluate(policy, questionFrom({ ...none, breakGlass: false })) : outside;

        if (unknown.kind !== "refuse") expect(unknown).toEqual(expected);
      }),
    );
  });

  test("reading is allowed or refused, and nothing else", () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const isRead = operationFacts[facts.op].effect === "read";

        if (isRead) expect(["allow", "refuse"]).toContain(evaluate(policy, questionFrom(facts)).kind);
      }),
    );
  });

  test("binding a channel is allowed or refused: it waits for no approval and breaks no glass", () => {
    const bindings = anyFacts.map((facts) => ({ ...facts, op: "bindChannel" as const, risk: "routine" as const })); // literal words
    fc.assert(
      fc.property(anyPolicy, bindings, (policy, facts) => {
        expect(["allow", "refuse"]).toContain(evaluate(policy, questionFrom(facts)).kind);
        expect(["allow", "refuse"]).toContain(bestOutcome(policy, questionFrom(facts), [facts]));
      }),
    );
  });

  test("the outlook promises no less than what is then answered for some workload", () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const question = questionFrom({ ...facts, breakGlass: false });
        const { workload: _any, ...asker } = question;
        const seen = bestOutcome(policy, asker, [{ op: facts.op, risk: facts.risk }]);

        expect(strictness[seen]).toBeLessThanOrEqual(strictness[evaluate(policy, question).kind]);
      }),
    );
  });

  test("the outlook asks for a reason only where every approval of this workload does", () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const question = questionFrom({ ...facts, breakGlass: false });
        const { op, risk } = question;
        const seen = bestOutcome(policy, question, [{ op, risk }]);
        const verdict = evaluate(policy, question);

        if (seen !== "approve-with-reason") return;
        expect(verdict.kind === "allow" || (verdict.kind === "approve" && !verdict.terms.reasonRequired)).toBe(false);
      }),
    );
  });

  test("the outlook promises only what some rule gives this person, here, for such a deed", () => {
    fc.assert(
      fc.property(anyPolicy, anyFacts, (policy, facts) => {
        const known = { ...facts, risk: facts.risk ?? "routine", breakGlass: false, account: facts.account ?? "ops" };
        const { workload: _any, ...asker } = questionFrom(known);
        const seen = bestOutcome(policy, asker, [{ op: known.op, risk: known.risk }]);

        const free = { kinds: undefined, names: undefined, regions: undefined, images: undefined, limits: undefined };
        const outcomeOf = ({ end }: Rule): string =>
          end.kind === "approve" && end.terms.reasonRequired ? "approve-with-reason" : end.kind;
        const gives = policy.rules.filter((rule) => outcomeOf(rule) === seen && isAbout({ ...rule, ...free }, known));
        if (seen !== "refuse") expect(gives.length).toBeGreaterThan(0);
      }),
    );
  });
});
