import type { StoredChange } from "../../changes/stored-change.ts";
import type { Standing } from "../../policy/policy.ts";
import { approversWords, changeSummary, actionWords, namesIn, oneLine, waitWords } from "../cards/change-words.ts";
import { actionButton, actions, askButton, context, section, type Line, type Block } from "../kit/blocks.ts";
import { code, firstOf, joined, strong, words, type Inline } from "../kit/inline.ts";
import { type Post, postOf, type Names } from "../kit/post.ts";
import { counted, truncate } from "../kit/text.ts";
import { unknownWhy } from "./sentences.ts";

type Of<Kind extends string> = { readonly kind: Kind; readonly change: StoredChange };

/** The ephemeral answer to a decision, or to an attempt. */
export type DecisionAnswer =
  /** The approval counts, and more are needed. */
  | Of<"counted">
  /** It was the last one. The Change is as it is after it, and may have come to nothing. */
  | Of<"approved">
  /** The last approval the card asked for, but policy now requires more. */
  | Of<"not-enough">
  /** The last approval, but policy now refuses the change. */
  | (Of<"not-run"> & { readonly why: string })
  | Of<"rejected" | "cancelled">
  /** They had already approved. */
  | Of<"twice">
  /** It was decided already. */
  | (Of<"late"> & { readonly wanted: "approve" | "reject" | "cancel" })
  /** They may not decide. `could`: some who could, by name, and the total if it is known. */
  | (Of<"foreign"> & {
      readonly wanted: "approve" | "reject";
      readonly could?: { readonly names: readonly string[]; readonly count: number | undefined };
    })
  /** They requested it themselves. */
  | Of<"own">
  /** Only the requester can cancel. */
  | Of<"not-yours">
  | (Of<"standing"> & { readonly standing: Exclude<Standing, "member"> })
  /** The card was replaced by another. */
  | Of<"retired">
  /** Slack couldn't be asked whether they may. */
  | { readonly kind: "check-failed" }
  /** There is no such request. `nearest`: similar ids. `isClicked`: on a button of the app. */
  | {
      readonly kind: "missing";
      readonly id: string;
      readonly nearest: readonly string[];
      readonly isClicked?: boolean;
    };

export type DecisionAnswerInput = {
  readonly answer: DecisionAnswer;
  readonly defaultRegion?: string | undefined;
  /** The id of the request that runs on the workload now, which this one waits for. */
  readonly waitsFor?: string | undefined;
  /** Group handles and approvers' names by id, for screen readers. */
  readonly names?: Names;
};

type Lines = readonly [Line, ...Line[]];

/** Every decision is answered: its effect, or why it had none and what to do. */
export function decisionAnswer(input: DecisionAnswerInput): Post {
  const { answer, names } = input;
  const more = [section(...lines(input)), ...buttons(answer)];
  if (!("change" in answer)) return postOf(more, names);
  return postOf([...more, context(truncate(answer.change.id, 40))], namesIn(answer.change, names));
}

function buttons(answer: DecisionAnswer): Block[] {
  if (answer.kind === "own") {
    const { id: value } = answer.change;
    return actions(
      actionButton({ label: "Cancel request", action: { kind: "request", act: "cancel", isBeside: true }, value }),
    );
  }
  if (answer.kind !== "missing") return [];
  return actions(
    askButton("Pending requests", { verb: "pending", share: false, args: {} }),
    askButton("History", { verb: "history", share: false, args: {} }),
  );
}

function lines(input: DecisionAnswerInput): Lines {
  const { answer } = input;
  switch (answer.kind) {
    case "missing":
      return missing(answer);
    case "check-failed":
      return ["⚠️ Slack didn't confirm that you can decide on this. Nothing was decided.", "Try again in a minute."];
    case "late":
    case "retired":
      return tooLate(answer, input);
    case "foreign":
    case "own":
    case "not-yours":
    case "standing":
      return refused(answer, input);
    case "not-enough":
    case "not-run":
      return notRun(answer, input);
    default:
      return accepted(answer, input);
  }
}

type Some<Kind extends DecisionAnswer["kind"]> = DecisionAnswer & { readonly kind: Kind };

function accepted(
  { kind, change }: Some<"counted" | "approved" | "rejected" | "cancelled" | "twice">,
  input: DecisionAnswerInput,
): Lines {
  const what = about(change, input);
  switch (kind) {
    case "counted":
      return [[words(`👍 Approved, ${votes(change)}: `), ...what], changeSummary(change, input.waitsFor)];
    case "approved":
      return afterApproval(change, input);
    case "rejected":
      return [[words("🚫 Rejected: "), ...what, words(". Nothing was changed.")]];
    case "cancelled":
      return [[words("🚫 Cancelled: "), ...what, words(". Nothing was changed.")]];
    case "twice":
      return [[words(`You already approved this, ${votes(change)}: `), ...what], changeSummary(change, input.waitsFor)];
  }
}

/** What became of it since. */
function afterApproval(change: StoredChange, input: DecisionAnswerInput): Lines {
  const { state, ending, workload } = change;
  const { waitsFor } = input;
  const but = (mark: string, why: readonly Inline[]): Lines => [[words(`${mark} Approved, but `), ...why]];
  const name = change.parts === undefined ? strong(workload.name, 100) : words("a workload");
  switch (state) {
    case "approved":
      return [
        [words("👍 Approved: "), ...about(change, input), words(".")],
        [
          words(waitsFor === undefined ? "It runs in a moment, " : `It ${waitWords(waitsFor)}, and then runs `),
          words("unless "),
          name,
          words(" changed meanwhile."),
        ],
      ];
    case "claimed":
      return [[words("👍 Approved. It runs now: "), ...about(change, input), words(".")]];
    case "drifted":
      if (change.wayBackEnd?.isNeeded === false) return but("🟢", [words(`${change.wayBackEnd.why}.`, 200)]);
      return but("⚠️", [name, words(" changed meanwhile: nothing was run.")]);
    case "cancelled": {
      const by = ending?.kind === "cancelled" ? ending.by.name : "somebody";
      return but("🚫", [words(`${by} cancelled it meanwhile: nothing was run.`, 200)]);
    }
    case "expired":
      return but("⌛", [words("it couldn't start in time: nothing was run.")]);
    case "failed": {
      const outcome = ending?.kind === "run" ? ending.outcome : undefined;
      return [
        [words("❌ Approved, but it failed: "), ...about(change, input), words(".")],
        [words(outcome?.kind === "failed" ? outcome.why : changeSummary(change, waitsFor), 600)],
      ];
    }
    default:
      return [[words("👍 Approved. "), words(changeSummary(change, waitsFor), 600)]];
  }
}

/** Approved, but stopped by a policy that changed since the request. */
function notRun(answer: Some<"not-enough" | "not-run">, input: DecisionAnswerInput): Lines {
  const { change } = answer;
  const what = about(change, input);
  if (answer.kind === "not-run") {
    return [
      [words("🚫 Approved, but the policy now refuses to "), ...what, words(". Nothing was changed.")],
      [words(answer.why, 600)],
    ];
  }
  return [
    [words("⏳ Approved, but more approvals are needed to "), ...what, words(". Nothing was changed.")],
    [words(oneLine(change.notice ?? ""), 500)],
  ];
}

function tooLate(answer: Some<"late" | "retired">, input: DecisionAnswerInput): Lines {
  const { change } = answer;
  const what = about(change, input);
  const summary: Line = [words(changeSummary(change, input.waitsFor), 600)];
  if (answer.kind === "late") return [[words(`Too late to ${answer.wanted} this: `), ...what], summary];
  return [[words("This card is out of date, so nothing was decided: "), ...what], summary, "Use the newer card."];
}

function refused(answer: Some<"foreign" | "own" | "not-yours" | "standing">, input: DecisionAnswerInput): Lines {
  const { change } = answer;
  const what = about(change, input);
  const who: Inline[] = [words("It needs "), ...whoMay(change, input), words(".")];
  switch (answer.kind) {
    case "foreign":
      return [
        [words(`🚫 You can't ${answer.wanted} this: `), ...what],
        [...who, ...named(answer)],
      ];
    case "own":
      return [[words("🚫 You can't decide on your own request: "), ...what], who];
    case "not-yours":
      return [
        [words(`🚫 Only ${change.requester.name} can cancel this request: `, 200), ...what],
        "If you can approve it, you can reject it instead.",
      ];
    case "standing":
      return [[words(`🚫 You can't decide on this, because ${standings[answer.standing]}: `), ...what], who];
  }
}

const standings: Readonly<Record<Exclude<Standing, "member">, string>> = {
  guest: "you're a guest in this workspace",
  outsider: "you belong to another organization",
  bot: "apps can't approve requests",
  deactivated: "your Slack account is deactivated",
};

/** "scale *web* to 2". */
function about(change: StoredChange, { defaultRegion }: DecisionAnswerInput): readonly Inline[] {
  return actionWords(change, defaultRegion);
}

function votes({ votes: all, terms }: StoredChange): string {
  return `${all.length} of ${terms?.votes ?? all.length}`;
}

/** "2 approvals from @oncall". Only one person sees this, so mentions notify nobody. */
function whoMay({ terms }: StoredChange, { names }: DecisionAnswerInput): Inline[] {
  if (terms === undefined) return [words("no approval")];
  return [words(`${counted(terms.votes, "approval")} from `), ...approversWords({ ...terms, mention: "all" }, names)];
}

/** " Alex Kim, Omar Haddad and 3 more can approve it now." */
function named({ could }: Some<"foreign">): Inline[] {
  if (could === undefined || could.names.length === 0) return [];
  const shown = could.names.slice(0, 5);
  const left = could.count === undefined ? undefined : could.count - shown.length;
  const more = left === undefined ? " and others" : left > 0 ? ` and ${left} more` : "";
  return [words(" "), ...firstOf(shown, shown.length, (name) => words(name, 80)), words(`${more} can approve it now.`)];
}

function missing({ id, nearest, isClicked }: Some<"missing">): Lines {
  if (isClicked) {
    return [[words("I don't know request "), code(id, 40), words(". Nothing was changed.")], [words(unknownWhy)]];
  }
  const alike = nearest.slice(0, 3).map((each) => code(each, 40));
  return [
    [words("There's no request "), code(id, 40), words(".")],
    ...(alike.length === 0 ? [] : [[words("Did you mean "), ...joined(alike, " or "), words("?")]]),
  ];
}
