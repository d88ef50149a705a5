import type { Change } from "../../changes/change.ts";
import type { Risk } from "../../policy/question.ts";
import type { Terms, Verdict } from "../../policy/verdict.ts";
import { termsWords, operationWords, workloadWords } from "../cards/change-words.ts";
import { divider, fields, section, type Line } from "../kit/blocks.ts";
import { riskWords } from "../cards/change-facts.ts";
import { diffList } from "../cards/diff.ts";
import { firstOf, words } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import type { Names } from "../kit/post.ts";
import { counted } from "../kit/text.ts";

export type FormPreview = {
  readonly change: Change;
  readonly risk: Risk;
  readonly verdict: Exclude<Verdict, { kind: "refuse" }>;
  /** Who could approve now; undefined when no approval is needed, or Slack can't be asked. */
  readonly approvers: { readonly names: readonly string[]; readonly count: number } | undefined;
  readonly command: string;
  readonly defaultRegion?: string | undefined;
  /** Group handles and approvers' names by id. */
  readonly names?: Names;
};

/**
 * A preview above the fields of a form: the change in words, and the policy's answer. Never shows the Call, which can
 * contain values of environment variables.
 */
export function previewBlocks(preview: FormPreview): Block[] {
  const { change, risk, defaultRegion } = preview;
  const { call, workload, diff } = change;
  if (diff.length === 0) return [section("It is already so: nothing would be sent."), divider];
  return [
    section([
      words(`This would ${operationWords[call.op][1]} `),
      ...workloadWords({ workload, defaultRegion }),
      words(":"),
    ]),
    ...diffList(diff),
    ...fields([{ label: "Risk", value: [words(riskWords({ op: call.op, risk }))] }]),
    policyWords(preview),
    divider,
  ];
}

function policyWords({ verdict, approvers, names = {} }: FormPreview): Block {
  switch (verdict.kind) {
    case "allow":
      return section("✅ It runs at once.");
    case "break-glass":
      return section("🚨 It runs at once, by breaking the glass: the channel is told, and history marks it.");
    case "approve":
      return section(
        [words("⏳ It asks for "), ...termsWords({ ...verdict.terms, mention: "all" }, names), words(".")],
        ...couldNow(verdict.terms, approvers),
      );
  }
}

function couldNow({ votes, selfApproval }: Terms, approvers: FormPreview["approvers"]): Line[] {
  if (approvers === undefined) return [];
  const { names, count } = approvers;
  const shown = names.slice(0, 6);
  const others = count > shown.length ? [words(` and ${count - shown.length} more`)] : [];
  const who = [...firstOf(shown, 6, (name) => words(name, 80)), ...others];
  if (count + (selfApproval ? 1 : 0) < votes) {
    const only = who.length === 0 ? [words("nobody")] : [words("only "), ...who];
    return [[words(`⚠️ It takes ${counted(votes, "vote")}, and `), ...only, words(" could vote now.")]];
  }
  return who.length === 0 ? [] : [[words("Those who could now: "), ...who, words(".")]];
}
