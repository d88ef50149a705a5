import type { Command } from "../../command.ts";
import type { Risk } from "../../../policy/question.ts";
import type { Terms, Verdict } from "../../../policy/verdict.ts";
import { bullets, context, section, type Line } from "../../../views/kit/blocks.ts";
import type { Block, Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { counted, truncate, visible } from "../../../views/kit/text.ts";
import { span } from "../../../views/kit/time.ts";

/** Policy's answer on one action of a verb. */
export type ActionAnswer = {
  readonly risk: Risk | undefined;
  readonly kind: "service" | "job" | undefined;
  /** `depends` on the workload, and none was named. */
  readonly verdict: Verdict | { readonly kind: "depends" };
  /** The people who could approve now, if approval is needed. */
  readonly approvers: { readonly names: readonly string[]; readonly count: number } | undefined;
  /** The rule that would allow --break-glass. */
  readonly glassRule: string | undefined;
};

export type Evaluation =
  /** The verb needs no rule. */
  | { readonly kind: "free" }
  | {
      readonly kind: "evaluated";
      readonly workload: { readonly kind: "service" | "job" | undefined; readonly name: string | undefined };
      readonly answers: readonly ActionAnswer[];
      /** The effect, if the workload was read. */
      readonly change: { readonly diff: readonly string[] } | undefined;
      /** Why only the verb and the name were evaluated. */
      readonly note: string | undefined;
      readonly hasReason: boolean;
    };

export type CanI = {
  readonly evaluation: Evaluation;
  readonly verb: { readonly name: string; readonly effect: Command["effect"]; readonly example: string };
  readonly command: string;
};

/** The answer of can-i: the verdict, the rule that decides, missing parts and possible approvers. */
export function canI(input: CanI): Message {
  const { evaluation, verb } = input;
  if (evaluation.kind === "free") return free(verb);
  const { name = "", kind } = evaluation.workload;
  const asked = truncate(visible([verb.name, kind, name].filter(Boolean).join(" ")), 300);
  const groups = sameAnswers(evaluation.answers);
  const [first] = groups[0] ?? [];
  if (first === undefined) return said([`No rule can be asked about \`${asked}\`.`], []);
  const lines =
    groups.length === 1
      ? sentences(first, evaluation)
      : groups.flatMap(([one, ...others]) =>
          one === undefined
            ? []
            : [`${label([one, ...others], evaluation.answers)}: ${sentences(one, evaluation).join(" ")}`],
        );
  return said([`\`${asked}\`, for you here:`, ...lines], [...changed(evaluation), ...basis(input)]);
}

/** For verbs that need no rule. The card of a change says who decides about it. */
function free({ name, effect }: CanI["verb"]): Message {
  if (effect === "decide") {
    return said(
      [`Whether you may ${name} depends on the change: its card and \`pending\` say who decides about it.`],
      [],
    );
  }
  return said([`No rule of the policy decides about ${name}: full members may use it.`], []);
}

function said([first = "", ...rest]: readonly string[], more: readonly Block[]): Message {
  const lines: [Line, ...Line[]] = [first, ...rest];
  return post([first, ...rest].join("\n").replaceAll("`", ""), [section(...lines), ...more]);
}

/** Groups actions with the same answer. */
function sameAnswers(answers: readonly ActionAnswer[]): readonly (readonly ActionAnswer[])[] {
  return [...Map.groupBy(answers, ({ verdict, glassRule }) => JSON.stringify([verdict, glassRule])).values()];
}

const riskWords: Readonly<Record<Risk, string>> = {
  routine: "only adds (routine)",
  disruptive: "interrupts (disruptive)",
  destructive: "takes away (destructive)",
};

/** Names a group of actions by their risk if risks differ, else by the kind of workload. */
function label(group: readonly ActionAnswer[], all: readonly ActionAnswer[]): string {
  const isByRisk = new Set(all.map(({ risk }) => risk)).size > 1;
  const parts = group.map(({ risk, kind }) =>
    isByRisk && risk !== undefined ? riskWords[risk] : `a ${kind ?? "workload"}`,
  );
  return `${isByRisk ? "Where it " : ""}${[...new Set(parts)].join(" or ")}`;
}

type Evaluated = Extract<Evaluation, { kind: "evaluated" }>;

function sentences(action: ActionAnswer, { hasReason }: Evaluated): string[] {
  const { verdict, glassRule } = action;
  const glass =
    glassRule === undefined
      ? []
      : [`With \`--break-glass\` and a reason it would run at once: the rule ${quoted(glassRule)} lets you.`];
  switch (verdict.kind) {
    case "allow":
      return [`✅ Yes, at once. The rule ${quoted(verdict.rule)} allows it.`];
    case "break-glass":
      return [
        `🚨 Yes, at once, by breaking the glass: the rule ${quoted(verdict.rule)} lets you. The channel is told, and history marks it.`,
        ...missingReason(!hasReason),
      ];
    case "approve":
      return [
        ...withApproval(verdict.rule, verdict.terms, action),
        ...missingReason(verdict.terms.reasonRequired && !hasReason),
        ...glass,
      ];
    case "refuse":
      return [`🚫 No. ${verdict.why}`, verdict.next, ...whichRule(verdict.rule, verdict.why), ...glass];
    case "depends":
      return ["❓ That depends on the workload: say its NAME.", ...glass];
  }
}

function quoted(rule: string): string {
  return `“${truncate(visible(rule), 120)}”`;
}

/** Names the rule unless the sentence does; a text from the rule's `say` usually doesn't. */
function whichRule(rule: string | undefined, why: string): string[] {
  return rule === undefined || why.includes(rule) ? [] : [`The rule ${quoted(rule)} decides.`];
}

function missingReason(isMissing: boolean): string[] {
  return isMissing ? ["Missing: a reason. Add `--reason TEXT`."] : [];
}

function withApproval(rule: string, terms: Terms, { approvers }: ActionAnswer): string[] {
  const own = terms.selfApproval ? " Your own vote counts." : "";
  return [
    `⏳ Yes, with approval: the rule ${quoted(rule)} wants ${counted(terms.votes, "vote")} from ${voters(terms)}, within ${span(terms.expiresMs)}.${own}`,
    ...(approvers === undefined ? [] : [whoCould(approvers, terms)]),
  ];
}

function voters({ from }: Terms): string {
  const groups = from.groups.length === 0 ? [] : [`the members of ${counted(from.groups.length, "user group")}`];
  const users = from.users.length === 0 ? [] : [counted(from.users.length, "named person", "named people")];
  return (
    [...(from.channelMembers ? ["any other full member of the channel"] : []), ...groups, ...users].join(" or ") ||
    "nobody"
  );
}

function whoCould({ names, count }: NonNullable<ActionAnswer["approvers"]>, { votes, selfApproval }: Terms): string {
  if (count === 0 && !selfApproval) return "Missing: somebody who could approve. Nobody here could, now.";
  const shown = names.map((name) => truncate(visible(name), 60));
  const more = count > shown.length ? [`${count - shown.length} more`] : [];
  const who = [...shown, ...more].join(", ");
  if (count + (selfApproval ? 1 : 0) >= votes) return `Now these could approve: ${who || "you"}.`;
  return `Missing: enough people. Only ${who} could approve now, and it takes ${counted(votes, "vote")}.`;
}

function changed({ change }: Evaluated): Block[] {
  if (change === undefined) return [];
  const [first, ...rest] = change.diff.slice(0, 8).map((line) => truncate(visible(line), 200));
  if (first === undefined) return [section("It is already so: nothing would be sent.")];
  const more = change.diff.length > 8 ? [`and ${change.diff.length - 8} more`] : [];
  return [section("It would change now:"), bullets([first, ...rest, ...more])];
}

/** Says so when only the verb and the name were evaluated. */
function basis({ evaluation, verb, command }: CanI): Block[] {
  if (evaluation.kind === "free" || evaluation.change !== undefined || verb.effect !== "write") return [];
  // A refusal for every workload needs no surer answer.
  if (evaluation.note === undefined && evaluation.answers.every(({ verdict }) => verdict.kind === "refuse")) return [];
  const note = evaluation.note === undefined ? "" : ` ${truncate(visible(evaluation.note), 400)}`;
  return [
    context(
      `Judged by the verb and the name, without reading the workload.${note} A whole command gets a sure answer: ${command} can-i ${verb.example}`,
    ),
  ];
}
