import type { StoredChange } from "../../changes/stored-change.ts";
import type { Standing } from "../../policy/question.ts";
import { approversWords, changeSummary, actionWords, namesIn } from "../cards/change-words.ts";
import { section, type Line } from "../kit/blocks.ts";
import { code, firstOf, joined, words, type Inline } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf, type Names } from "../kit/post.ts";

type Of<Kind extends string> = { readonly kind: Kind; readonly change: StoredChange };

/** The ephemeral answer to a decision, or to an attempt. */
export type DecisionAnswer =
  /** The approval counts: more are needed, or it was the last one. */
  | Of<"counted" | "approved">
  /** The last approval the card asked for, but policy now requires more. */
  | Of<"not-enough">
  /** The last approval, but policy now refuses the change. */
  | (Of<"not-run"> & { readonly why: string })
  | Of<"rejected" | "cancelled">
  /** They had already approved. */
  | Of<"twice">
  /** It can no longer be decided. */
  | (Of<"late"> & { readonly wanted: "approve" | "reject" | "cancel" })
  /** They may not decide. `could`: some who could, by name, and the total. */
  | (Of<"foreign"> & {
      readonly wanted: "approve" | "reject";
      readonly could?: { readonly names: readonly string[]; readonly count: number };
    })
  /** They requested it themselves. */
  | Of<"own">
  /** Only the requester may cancel. */
  | Of<"not-yours">
  | (Of<"standing"> & { readonly standing: Exclude<Standing, "member"> })
  /** The card was replaced by another. */
  | Of<"retired">
  /** Slack couldn't be asked whether they may. */
  | { readonly kind: "check-failed" }
  /** There is no such Change. `nearest`: similar ids. */
  | { readonly kind: "missing"; readonly id: string; readonly nearest: readonly string[] };

export type DecisionAnswerInput = {
  readonly answer: DecisionAnswer;
  readonly command: string;
  readonly defaultRegion?: string | undefined;
  /** Group handles and approvers' names by id, for screen readers. */
  readonly names?: Names;
};

type Lines = readonly [Line, ...Line[]];

/** Every decision is answered: its effect, or why it had none and what to do. */
export function decisionAnswer(input: DecisionAnswerInput): Post {
  const { answer, names } = input;
  const [first, ...rest] = lines(input);
  return postOf([section(first, ...rest)], "change" in answer ? namesIn(answer.change, names) : names);
}

function lines(input: DecisionAnswerInput): Lines {
  const { answer } = input;
  switch (answer.kind) {
    case "missing":
      return missing(answer, input);
    case "check-failed":
      return ["⚠️ Nothing was decided, because Slack did not tell whether you may.", "Try again in a minute."];
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
      return [[words(`👍 Your vote counts, it is ${votes(change)}: `), ...what]];
    case "approved":
      return [
        [words("👍 Your vote counts, and it was the last one that was needed: "), ...what],
        "It is read once more, then it runs; its card tells how it ends.",
      ];
    case "rejected":
      return [[words("🚫 You rejected it, and nothing was sent: "), ...what]];
    case "cancelled":
      return [[words("🚫 You cancelled it, and nothing was sent: "), ...what]];
    case "twice":
      return [[words(`You voted for it before, it stays ${votes(change)}: `), ...what]];
  }
}

/** Approved, but stopped by a policy that changed since the request. */
function notRun(answer: Some<"not-enough" | "not-run">, input: DecisionAnswerInput): Lines {
  const { change } = answer;
  const what = about(change, input);
  if (answer.kind === "not-run") {
    return [
      [words("🚫 Approved, but policy refuses it now. Nothing was changed: "), ...what],
      [words(answer.why, 600)],
    ];
  }
  return [
    [words("⏳ Approved, but more approvals are needed. Nothing was changed: "), ...what],
    [words(change.notice ?? "", 500)],
  ];
}

function tooLate(answer: Some<"late" | "retired">, input: DecisionAnswerInput): Lines {
  const { change } = answer;
  const what = about(change, input);
  const summary: Line = [words(changeSummary(change), 600)];
  if (answer.kind === "late") {
    return [[words(`Too late to ${answer.wanted} it, nothing was changed by this: `), ...what], summary];
  }
  return [
    [words("This card is out of date, a newer one took its place, and nothing was decided: "), ...what],
    summary,
    `Decide on the newer card, or see what waits with \`${input.command} pending\``,
  ];
}

function refused(answer: Some<"foreign" | "own" | "not-yours" | "standing">, input: DecisionAnswerInput): Lines {
  const { change } = answer;
  const what = about(change, input);
  const who: Inline[] = [words("It waits for "), ...whoMay(change, input), words(".")];
  switch (answer.kind) {
    case "foreign":
      return [
        [words(`🚫 You cannot ${answer.wanted} it, because you are not among those who may: `), ...what],
        [...who, ...named(answer.could)],
      ];
    case "own":
      return [
        [words("🚫 You cannot decide about it, because you asked for it yourself: "), ...what],
        [...who, words(` To take it back: `), code(`${input.command} cancel ${change.id}`, 100)],
      ];
    case "not-yours":
      return [
        [words(`🚫 Only ${change.requester.name}, who asked for it, can cancel it: `, 200), ...what],
        "Those who may approve it can reject it.",
      ];
    case "standing":
      return [[words(`🚫 You cannot decide about it, because ${standings[answer.standing]}: `), ...what], who];
  }
}

const standings: Readonly<Record<Exclude<Standing, "member">, string>> = {
  guest: "you are a guest in this workspace",
  outsider: "you belong to another organisation",
  bot: "an app does not decide",
  deactivated: "your account in this workspace is deactivated",
};

/** "scale service web, 7K3M9Q". */
function about(change: StoredChange, { defaultRegion }: DecisionAnswerInput): Inline[] {
  return [...actionWords(change, defaultRegion), words(", "), code(change.id, 40)];
}

function votes({ votes: all, terms }: StoredChange): string {
  return `${all.length} of ${terms?.votes ?? all.length}`;
}

/** Only one person sees this, so mentions notify nobody. */
function whoMay({ terms }: StoredChange, { names }: DecisionAnswerInput): Inline[] {
  return terms === undefined ? [words("nobody")] : approversWords({ ...terms, mention: "all" }, names);
}

/** " Those who could now: Alex Kim, Omar Haddad and 3 more". */
function named(could: { readonly names: readonly string[]; readonly count: number } | undefined): Inline[] {
  if (could === undefined || could.names.length === 0) return [];
  const shown = could.names.slice(0, 5);
  const more = could.count - shown.length;
  return [
    words(" Those who could now: "),
    ...firstOf(shown, shown.length, (name) => words(name, 80)),
    ...(more > 0 ? [words(` and ${more} more`)] : []),
  ];
}

function missing({ id, nearest }: Some<"missing">, { command }: DecisionAnswerInput): Lines {
  const alike = nearest.slice(0, 3).map((each) => code(each, 40));
  return [
    [words("There is no change "), code(id, 40), words(".")],
    ...(alike.length === 0 ? [] : [[words("Did you mean "), ...joined(alike, " or "), words("?")]]),
    `See what waits with \`${command} pending\`, and what happened with \`${command} history\``,
  ];
}
