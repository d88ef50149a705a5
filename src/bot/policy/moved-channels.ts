import type { Policy, Rule } from "./policy.ts";

/** New ids of channels by their old ones. */
export type MovedChannels = ReadonlyMap<string, string>;

/** Rules that name a channel by an id it had apply to it under its new one, too: no rule stops holding unnoticed. */
export function withMovedChannels(policy: Policy, moved: MovedChannels): Policy {
  return { ...policy, rules: policy.rules.map((rule) => movedRule(rule, moved)) };
}

function movedRule(rule: Rule, moved: MovedChannels): Rule {
  const where = rule.where?.flatMap((word) => [word, ...(moved.has(word) ? [moved.get(word) ?? word] : [])]);
  return { ...rule, where, end: movedEnd(rule.end, moved) };
}

function movedEnd(end: Rule["end"], moved: MovedChannels): Rule["end"] {
  if (end.kind !== "approve" || end.terms.cardIn === undefined) return end;
  return { ...end, terms: { ...end.terms, cardIn: moved.get(end.terms.cardIn) ?? end.terms.cardIn } };
}
