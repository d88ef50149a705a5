import type { Change } from "../../changes/change.ts";
import type { Terms, Verdict } from "../../policy/policy.ts";
import { actionWords, termsWords } from "../cards/change-words.ts";
import { nothingToDo } from "../messages/request-answers.ts";
import { divider, section, type Line, type Block } from "../kit/blocks.ts";
import { diffList } from "../cards/diff.ts";
import { strong, words } from "../kit/inline.ts";
import type { Names } from "../kit/post.ts";
import { counted, namesAnd } from "../kit/text.ts";

export type FormPreview = {
  readonly change: Change;
  readonly verdict: Exclude<Verdict, { kind: "refuse" }>;
  /** Who could approve now; undefined when no approval is needed, or Slack can't be asked. */
  readonly approvers: { readonly names: readonly string[]; readonly count: number | undefined } | undefined;
  readonly defaultRegion?: string | undefined;
  /** Group handles and approvers' names by id. */
  readonly names?: Names;
};

/**
 * A preview above the fields of a form: the change in words, and the policy's answer. Never shows the Call, which can
 * contain values of environment variables.
 */
export function previewBlocks(preview: FormPreview): Block[] {
  const { change, defaultRegion } = preview;
  const { call, workload, diff } = change;
  if (diff.length === 0) return [...nothingToDo(change).blocks, divider];
  return [
    section([strong("Preview: "), ...actionWords({ op: call.op, workload, diff }, defaultRegion)]),
    ...diffList(diff),
    policyWords(preview),
    divider,
  ];
}

function policyWords({ verdict, approvers, names = {} }: FormPreview): Block {
  switch (verdict.kind) {
    case "allow":
      return section("✅ Runs immediately. No approval needed.");
    case "break-glass":
      return section("🚨 Runs immediately without approval (break glass). The channel is notified.");
    case "approve":
      return section(
        [words("⏳ Needs "), ...termsWords({ ...verdict.terms, mention: "all" }, names), words(".")],
        ...canApprove(verdict.terms, approvers),
      );
  }
}

function canApprove({ votes, selfApproval }: Terms, approvers: FormPreview["approvers"]): Line[] {
  if (approvers === undefined) return [];
  const { count } = approvers;
  const names = approvers.names.slice(0, 6);
  const who = namesAnd({ names, count });
  // Unless not everybody was looked up.
  if (count !== undefined && count + (selfApproval ? 1 : 0) < votes) {
    const only = names.length === 0 ? "nobody" : `only ${who}`;
    return [[words(`⚠️ Needs ${counted(votes, "approval")}, but ${only} can approve right now.`, 600)]];
  }
  return names.length === 0 ? [] : [[words(`Can approve now: ${who}.`, 600)]];
}
