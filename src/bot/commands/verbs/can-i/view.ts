import { shortDigests } from "../../../../api/image.ts";
import type { Command } from "../../command.ts";
import type { CanApprove } from "../../../views/cards/change-facts.ts";
import type { Terms, Verdict } from "../../../policy/policy.ts";
import type { Risk } from "../../../policy/operation-facts.ts";
import { durationText } from "../../../policy/policy-words.ts";
import { bullets, context, section, type Block } from "../../../views/kit/blocks.ts";
import { type Message, post } from "../../../views/kit/post.ts";
import { policyText } from "../../../views/messages/error-messages.ts";
import { withCommand } from "../../../views/messages/sentences.ts";
import { counted, namesAnd, truncate, visible } from "../../../views/kit/text.ts";

/** Policy's answer on one action of a verb. */
export type ActionAnswer = {
  readonly risk: Risk | undefined;
  readonly kind?: "service" | "job" | undefined;
  /** `depends` on what isn't named. */
  readonly verdict: Verdict | { readonly kind: "depends"; readonly on: "workload" | "image or size" };
  /** The people who could approve now, if approval is needed. */
  readonly approvers?: CanApprove | undefined;
  /** The rule that would allow --break-glass. */
  readonly glassRule?: string | undefined;
};

export type Evaluation =
  /** The verb needs no rule. */
  | { readonly kind: "free" }
  | {
      readonly kind: "evaluated";
      readonly workload: { readonly kind: "service" | "job" | undefined; readonly name: string | undefined };
      readonly answers: readonly ActionAnswer[];
      /** The effect, if the workload was read. */
      readonly change?: { readonly diff: readonly string[] } | undefined;
      /** Why only the verb and the name were evaluated. */
      readonly note?: string | undefined;
      readonly hasReason?: boolean;
    };

type CanI = {
  readonly evaluation: Evaluation;
  readonly verb: Pick<Command, "name" | "effect" | "example">;
  readonly command: string;
};

/** A clear yes or no, then the rule, possible approvers, missing parts and the effect. */
export function canI(input: CanI): Message {
  const { evaluation, verb, command } = input;
  if (evaluation.kind === "free") return free(verb);
  const { name = "", kind } = evaluation.workload;
  const asked = truncate(visible([verb.name, name === "" ? kind : name].filter(Boolean).join(" ")), 300);
  const sameAnswer = ({ verdict, glassRule }: ActionAnswer): string => JSON.stringify([verdict, glassRule]);
  const groups = [...Map.groupBy(evaluation.answers, sameAnswer).values()];
  const [first] = groups[0] ?? [];
  if (first === undefined) return said([`No policy rule is about \`${asked}\`.`], []);
  const more = [...changed(evaluation), ...basis(input)];
  if (groups.length === 1)
    return said(
      sentences(first, evaluation, asked).map((line) => withCommand(line, command)),
      more,
    );
  const isByRisk = new Set(evaluation.answers.map(({ risk }) => risk)).size > 1;
  const lines = groups.map((group) => withCommand(shortAnswer(group, isByRisk), command));
  return said([`❓ \`${asked}\` here: it depends on the ${isByRisk ? "change" : "kind"}.`, ...lines], more);
}

/** For verbs that need no rule. The card of a change says who decides about it. */
function free({ name, effect }: CanI["verb"]): Message {
  if (effect !== "decide") return said([`✅ Yes, every full member can use \`${name}\`. It needs no policy rule.`], []);
  return said([`❓ It depends on the request. Its card and \`pending\` show who can ${name} it.`], []);
}

function said([first = "", ...rest]: readonly string[], more: readonly Block[]): Message {
  const text = [first, ...rest].join("\n").replaceAll(/[`“”]/gu, "");
  return post(text, [section(policyText(first), ...rest.map(policyText)), ...more]);
}

/** One of several answers: "⏳ Disruptive changes: with 1 approval." */
function shortAnswer(group: readonly ActionAnswer[], isByRisk: boolean): string {
  const [action] = group;
  if (action === undefined) return "";
  const parts = group.map(({ risk, kind }) => (isByRisk && risk !== undefined ? risk : `${kind ?? "workload"}s`));
  const which = `${[...new Set(parts)].join(" and ")}${isByRisk ? " changes" : ""}`;
  const label = `${which.charAt(0).toUpperCase()}${which.slice(1)}`;
  const { verdict } = action;
  switch (verdict.kind) {
    case "allow":
      return `✅ ${label}: yes.`;
    case "break-glass":
      return `🚨 ${label}: yes, with break-glass.`;
    case "approve":
      return [
        `⏳ ${label}: with ${counted(verdict.terms.votes, "approval")}.`,
        ...approversNow(action, verdict.terms),
      ].join(" ");
    case "refuse":
      return `🚫 ${label}: no. ${verdict.why}`;
    case "depends":
      return `❓ ${label}: ${dependsOn(verdict)}`;
  }
}

type Evaluated = Extract<Evaluation, { kind: "evaluated" }>;

/** The only answer, in full. */
function sentences(action: ActionAnswer, { hasReason = false }: Evaluated, asked: string): string[] {
  const { verdict, glassRule } = action;
  const yes = `Yes, you can run \`${asked}\` here`;
  const glass =
    glassRule === undefined
      ? []
      : [`With \`--break-glass\` and a reason, it runs immediately (policy: ${truncate(visible(glassRule), 120)}).`];
  switch (verdict.kind) {
    case "allow":
      return [`✅ ${yes}.`, policyLine(verdict.rule)];
    case "break-glass":
      return [
        `🚨 ${yes} immediately with break-glass.`,
        "The channel sees it, and history marks it.",
        policyLine(verdict.rule),
        ...missingReason(!hasReason),
      ];
    case "approve":
      return [
        tooFew(action, verdict.terms) ?? `⏳ ${yes} with ${counted(verdict.terms.votes, "approval")}.`,
        ...withApproval(verdict.terms, action),
        policyLine(verdict.rule),
        ...missingReason(verdict.terms.reasonRequired && !hasReason),
        ...glass,
      ];
    case "refuse":
      return [
        `🚫 No. ${verdict.why}`,
        ...(verdict.next === "" ? [] : [verdict.next]),
        // A text from the rule's `say` usually doesn't name the rule.
        ...(verdict.rule === undefined || verdict.why.includes(verdict.rule) ? [] : [policyLine(verdict.rule)]),
        ...glass,
      ];
    case "depends":
      return [`❓ I${dependsOn(verdict).slice(1)}`, ...glass];
  }
}

function dependsOn({ on }: Extract<ActionAnswer["verdict"], { readonly kind: "depends" }>): string {
  return `it depends on the ${on}. ${on === "workload" ? "Add its name." : "Type the whole command."}`;
}

function policyLine(rule: string): string {
  return `Policy: ${truncate(visible(rule), 120)}.`;
}

function missingReason(isMissing: boolean): string[] {
  return isMissing ? ["It needs a reason. Add `--reason TEXT`."] : [];
}

/** A no: the approval is possible in general, but not with the people who are here now. */
function tooFew({ approvers }: ActionAnswer, { votes, selfApproval }: Terms): string | undefined {
  if (approvers?.count === undefined || approvers.count + (selfApproval ? 1 : 0) >= votes) return undefined;
  const who = approvers.count === 0 ? "nobody" : `only ${namesAnd(approvers)}`;
  return `🚫 Not now: it needs ${counted(votes, "approval")}, and ${who} can approve here.`;
}

function withApproval(terms: Terms, action: ActionAnswer): string[] {
  const own = terms.selfApproval ? " You can approve it yourself." : "";
  return [
    `Approvers: ${approversText(terms)}. It expires after ${durationText(terms.expiresMs)}.${own}`,
    ...approversNow(action, terms),
  ];
}

function approversNow(action: ActionAnswer, terms: Terms): string[] {
  const { approvers } = action;
  const isPossible = approvers !== undefined && approvers.names.length > 0 && tooFew(action, terms) === undefined;
  return isPossible ? [`Can approve now: ${namesAnd(approvers)}.`] : [];
}

function approversText({ from }: Terms): string {
  const groups = from.groups.length === 0 ? [] : [`members of ${counted(from.groups.length, "user group")}`];
  const users = from.users.length === 0 ? [] : [counted(from.users.length, "named person", "named people")];
  return (
    [...(from.channelMembers ? ["any other full member of this channel"] : []), ...groups, ...users].join(" or ") ||
    "nobody"
  );
}

function changed({ change }: Evaluated): Block[] {
  if (change === undefined) return [];
  const lines = change.diff.slice(0, 8).map((line) => truncate(visible(shortDigests(line)), 200));
  if (lines.length === 0) return [section("Nothing would change.")];
  return [section("It would change:"), ...bullets(lines, change.diff.length - 8)];
}

/** Says so when only the verb and the name were evaluated. */
function basis({ evaluation, verb, command }: CanI): Block[] {
  if (evaluation.kind === "free" || evaluation.change !== undefined || verb.effect !== "write") return [];
  // A refusal for every workload needs no surer answer.
  if (evaluation.note === undefined && evaluation.answers.every(({ verdict }) => verdict.kind === "refuse")) return [];
  const note = evaluation.note === undefined ? "" : ` ${truncate(visible(evaluation.note), 400)}`;
  return [
    context(
      `Based on the command and name only.${note} For an exact answer, type the whole command: ${command} can-i ${verb.example}`,
    ),
  ];
}
