import type { RuleInFile } from "./policy-file.ts";
import type { Rule, RuleEnd } from "./rule.ts";
import { isGroupId, isUserId } from "./rule-words.ts";

/** A rule as it is judged by, from the one in the file. Pure. */
export function ruleOf(rule: RuleInFile, line: number): Rule {
  const { name, who, where, does, workloads } = rule;
  return {
    name,
    line,
    who,
    where,
    does,
    kinds: workloads?.kind,
    names: workloads?.name,
    regions: workloads?.region,
    accounts: workloads?.account,
    end: endOf(rule),
  };
}

function endOf({ then, say }: RuleInFile): RuleEnd {
  if (then.allow !== undefined) return { kind: "allow" };
  if (then["break-glass"] !== undefined) return { kind: "break-glass" };
  if (then.approve === undefined) return { kind: "refuse", say };
  const { votes, from, reason, expires, mention } = then.approve;
  return {
    kind: "approve",
    terms: {
      votes,
      from: {
        users: [...new Set(from.filter(isUserId))],
        groups: [...new Set(from.filter(isGroupId))],
        channelMembers: from.includes("channel-members"),
      },
      selfApproval: then.approve["self-approval"],
      reasonRequired: reason === "required",
      expiresMs: expires,
      cardIn: then.approve["post-in"],
      mention,
    },
  };
}
