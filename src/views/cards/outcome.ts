import type { WorkloadRef, WriteOperationId, Change, Outcome } from "../../changes/change.ts";
import { section } from "../kit/blocks.ts";
import { operationWords, needsRegion, workloadWords } from "./change-words.ts";
import { diffList } from "./diff.ts";
import { words, type Inline, person } from "../kit/inline.ts";
import type { Block, Message } from "../kit/message.ts";
import { truncate, visible } from "../kit/text.ts";
import { post } from "../kit/post.ts";

export type OutcomeInput = {
  readonly op: WriteOperationId;
  readonly workload: WorkloadRef;
  readonly diff: readonly string[];
  readonly outcome: Outcome;
  readonly command: string;
  /** This region isn't mentioned; without it, none is. */
  readonly defaultRegion?: string | undefined;
  /** The workload's health is watched and reported, so nobody has to check it. */
  readonly isFollowed?: boolean;
};

const REASON = 500;

/** The outcome of a write. Accepted, took effect and unknown are different sentences. */
export function outcomeBlocks(input: OutcomeInput): Block[] {
  const { outcome } = input;
  const diff = isUnchanged(input) ? [] : input.diff;
  return [
    section(outcomeSentence(input)),
    ...(outcome.kind === "done" || diff.length === 0 ? [] : [section("Asked for:")]),
    ...diffList(diff),
    ...(outcome.kind === "done" ? otherChanges(outcome.alsoMoved) : [section(truncate(outcome.why, REASON))]),
    ...next(input),
  ];
}

function isUnchanged({ diff, outcome }: OutcomeInput): boolean {
  return outcome.kind === "done" && diff.length === 0;
}

export function outcomeSentence(input: OutcomeInput): Inline[] {
  const [past, infinitive, participle] = operationWords[input.op];
  const { kind } = input.workload;
  const what = workloadWords(input);
  const [, ...named] = what;
  if (isUnchanged(input))
    return [words("✅ It is already so: "), ...what, words(" was left as it is, nothing was sent.")];
  switch (input.outcome.kind) {
    case "done":
      return [words(`✅ ${past} `), ...what, words(".")];
    case "asked":
      return [words(`📨 Asked the service to ${infinitive} `), ...what, words("; it accepted.")];
    case "failed":
      return [words(`❌ ${kind === "job" ? "Job" : "Service"} `), ...named, words(` was not ${participle}.`)];
    case "unknown":
      return [words("❓ Cannot tell whether "), ...what, words(` was ${participle}.`)];
  }
}

function otherChanges(alsoMoved: readonly string[]): Block[] {
  return alsoMoved.length === 0 ? [] : [section("Something else moved meanwhile:"), ...diffList(alsoMoved)];
}

/** The next step. */
function next(input: OutcomeInput): Block[] {
  const { op, workload, outcome, command } = input;
  const name = `${workload.kind}/${truncate(visible(workload.name), 255)}`;
  const at = needsRegion(input) ? ` --region ${truncate(visible(workload.region), 60)}` : "";
  const show = `\`${command} show ${name}${at}\``;
  if (outcome.kind === "failed") return [section(truncate(outcome.next, REASON))];
  if (outcome.kind === "unknown") return [section(truncate(outcome.next, REASON)), section(`Look with ${show}`)];
  if (op === "createService" || op === "createJob") {
    return [section(`Look at it with ${show} and read its log with \`${command} logs ${name}${at}\``)];
  }
  const mayLook = outcome.kind === "asked" && input.isFollowed !== true;
  return mayLook ? [section(`See whether it took effect with ${show}`)] : [];
}

export type OutcomeMessage = {
  readonly change: Change;
  readonly outcome: Outcome;
  readonly command: string;
  /** The requester's Slack id. */
  readonly by: string;
  /** This region isn't mentioned; without it, none is. */
  readonly defaultRegion?: string;
};

/** The outcome of a Change without a card. */
export function outcomeMessage({ change, by, ...rest }: OutcomeMessage): Message {
  const { call, workload, diff } = change;
  const input = { op: call.op, workload, diff, ...rest };
  const spoken = outcomeSentence(input).map((piece) => (piece.type === "text" ? piece.text : ""));
  return post([spoken.join(""), ...diff].join("\n"), [
    ...outcomeBlocks(input),
    ...(by === "" ? [] : [section([words("By "), person(by)])]),
  ]);
}
