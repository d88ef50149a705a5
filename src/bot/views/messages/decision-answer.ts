import type { StoredChange } from "../../changes/stored-change.ts";
import type { Standing } from "../../policy/policy.ts";
import { approversWords, changeSummary, actionWords, namesIn, oneLine, waitWords } from "../cards/change-words.ts";
import type { CanApprove } from "../cards/change-facts.ts";
import { requestButton } from "../kit/ask-buttons.ts";
import { actions, askButton, context, section, type Line, type Block } from "../kit/blocks.ts";
import { code, joined, strong, words, type Inline } from "../kit/inline.ts";
import { type Post, postOf, type Names } from "../kit/post.ts";
import { counted, namesAnd, truncate } from "../kit/text.ts";
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
      readonly could?: CanApprove;
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
    return actions(requestButton("cancel", answer.change.id, { isBeside: true }));
  }
  if (answer.kind !== "missing") return [];
  return actions(
    askButton("Pending requests", { verb: "pending", share: false, args: {} }),
    askButton("History", { verb: "history", share: false, args: {} }),
  );
}

type Some<Kind extends DecisionAnswer["kind"]> = DecisionAnswer & { readonly kind: Kind };

function lines(input: DecisionAnswerInput): Lines {
  const { answer, defaultRegion, waitsFor } = input;
  if (answer.kind === "missing") return missing(answer);
  if (answer.kind === "check-failed") {
    return ["⚠️ Slack didn't confirm that you can decide on this. Nothing was decided.", "Try again in a minute."];
  }
  const { change } = answer;
  const { votes, terms } = change;
  const about = (before: string): Inline[] => [words(before, 200), ...actionWords(change, defaultRegion)];
  const unchanged = (before: string): Inline[] => [...about(before), words(". Nothing was changed.")];
  const count = `${votes.length} of ${terms?.votes ?? votes.length}`;
  const summary: Line = [words(changeSummary(change, waitsFor), 600)];
  const needs: Inline[] = [words("It needs "), ...whoMay(change, input), words(".")];
  switch (answer.kind) {
    case "counted":
      return [about(`👍 Approved, ${count}: `), summary];
    case "approved":
      return afterApproval(change, input);
    case "not-enough":
      return [unchanged("⏳ Approved, but more approvals are needed to "), [words(oneLine(change.notice ?? ""), 500)]];
    case "not-run":
      return [unchanged("🚫 Approved, but the policy now refuses to "), [words(answer.why, 600)]];
    case "rejected":
      return [unchanged("🚫 Rejected: ")];
    case "cancelled":
      return [unchanged("🚫 Cancelled: ")];
    case "twice":
      return [about(`You already approved this, ${count}: `), summary];
    case "late":
      return [about(`Too late to ${answer.wanted} this: `), summary];
    case "retired":
      return [about("This card is out of date, so nothing was decided: "), summary, "Use the newer card."];
    case "foreign":
      return [about(`🚫 You can't ${answer.wanted} this: `), [...needs, ...named(answer)]];
    case "own":
      return [about("🚫 You can't decide on your own request: "), needs];
    case "not-yours":
      return [
        about(`🚫 Only ${change.requester.name} can cancel this request: `),
        "If you can approve it, you can reject it instead.",
      ];
    case "standing":
      return [about(`🚫 You can't decide on this, because ${standings[answer.standing]}: `), needs];
  }
}

/** What became of it since. */
function afterApproval(change: StoredChange, input: DecisionAnswerInput): Lines {
  const { state, ending, workload } = change;
  const { waitsFor } = input;
  const what = [...actionWords(change, input.defaultRegion), words(".")];
  const but = (mark: string, why: readonly Inline[]): Lines => [[words(`${mark} Approved, but `), ...why]];
  const name = change.parts === undefined ? strong(workload.name, 100) : words("a workload");
  switch (state) {
    case "approved":
      return [
        [words("👍 Approved: "), ...what],
        [
          words(waitsFor === undefined ? "It runs in a moment, " : `It ${waitWords(waitsFor)}, and then runs `),
          words("unless "),
          name,
          words(" changed meanwhile."),
        ],
      ];
    case "claimed":
      return [[words("👍 Approved. It runs now: "), ...what]];
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
        [words("❌ Approved, but it failed: "), ...what],
        [words(outcome?.kind === "failed" ? outcome.why : changeSummary(change, waitsFor), 600)],
      ];
    }
    default:
      return [[words("👍 Approved. "), words(changeSummary(change, waitsFor), 600)]];
  }
}

const standings: Readonly<Record<Exclude<Standing, "member">, string>> = {
  guest: "you're a guest in this workspace",
  outsider: "you belong to another organization",
  bot: "apps can't approve requests",
  deactivated: "your Slack account is deactivated",
};

/** "2 approvals from @oncall". Only one person sees this, so mentions notify nobody. */
function whoMay({ terms }: StoredChange, { names }: DecisionAnswerInput): Inline[] {
  if (terms === undefined) return [words("no approval")];
  return [words(`${counted(terms.votes, "approval")} from `), ...approversWords({ ...terms, mention: "all" }, names)];
}

/** " Alex Kim, Omar Haddad and 3 more can approve it now." */
function named({ could }: Some<"foreign">): Inline[] {
  if (could === undefined || could.names.length === 0) return [];
  return [words(` ${namesAnd({ ...could, names: could.names.slice(0, 5) })} can approve it now.`, 600)];
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
