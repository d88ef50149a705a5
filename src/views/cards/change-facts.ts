import type { Outcome } from "../../changes/change.ts";
import { isFollowed, type Health, type StoredChange, type Vote } from "../../changes/stored-change.ts";
import { section, type Line } from "../kit/blocks.ts";
import { firstOf, fromNow, words, type Inline } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import type { Names } from "../kit/post.ts";
import { truncate, visible } from "../kit/text.ts";
import { span } from "../kit/time.ts";
import { oneLine, personWords, termsWords } from "./change-words.ts";
import { diffList, driftList } from "./diff.ts";
import { effectWords } from "./risk-words.ts";

const VOTERS = 5;
const REASON = 500;
const WHY = 500;

/** The facts below the headline: those needed to decide, then the outcome, who asked and who approved. */
export function changeFacts(change: StoredChange, names: Names): Block[] {
  switch (change.state) {
    case "pending":
      return [...effect(change), ...sections([requestedBy(change)], needs(change, names))];
    case "approved":
    case "claimed":
      return [...effect(change), ...sections(people(change))];
    case "done":
      return done(change);
    case "failed":
      return failed(change);
    case "unknown":
      return unknown(change);
    case "rejected":
    case "cancelled":
    case "expired":
      return [...effect(change), ...sections(ending(change), people(change), ["Nothing was changed."])];
    case "drifted":
      return drifted(change);
  }
}

/** Lines of facts, each joined by dots; no block without any. */
function sections(...lines: readonly (readonly (Line | false)[])[]): Block[] {
  const [first, ...rest] = lines.flatMap((facts): Line[] => {
    const pieces = facts.flatMap((fact) => (fact === false || fact.length === 0 ? [] : [inlines(fact)]));
    return pieces.length === 0 ? [] : [pieces.flatMap((piece, at) => (at === 0 ? piece : [words(" · "), ...piece]))];
  });
  return first === undefined ? [] : [section(first, ...rest)];
}

function inlines(fact: Line): readonly Inline[] {
  return typeof fact === "string" ? [words(fact, WHY)] : fact;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** What it will do: one difference on a line with its effect, several as a list. */
function effect(change: StoredChange): Block[] {
  const { diff } = change;
  const hurts = effectWords(change);
  const [only] = diff;
  if (only !== undefined && diff.length === 1) {
    return sections([truncate(capital(visible(only)), REASON), hurts ?? false]);
  }
  return [...diffList(diff), ...sections([hurts === undefined ? false : capital(hurts)])];
}

/** `Requested by @dana: "orders time out"`. */
function requestedBy({ requester, reason }: StoredChange, label = "Requested by "): Inline[] {
  return [words(label), personWords(requester), ...quoted(reason)];
}

function quoted(reason: string | undefined): Inline[] {
  return reason === undefined ? [] : [words(`: "${truncate(oneLine(reason), REASON)}"`, REASON + 4)];
}

function needs({ terms, votes, expiresAt }: StoredChange, names: Names): Line[] {
  if (terms === undefined) return [];
  const count = `${votes.length} of ${terms.votes}`;
  return [
    [words("Needs "), ...termsWords(terms, names)],
    votes.length === 0 ? count : [words(`${count} (`), ...voters(votes), words(")")],
    ...(expiresAt === undefined ? [] : [[words("expires "), fromNow(expiresAt.toISOString())]]),
  ];
}

function voters(votes: readonly Vote[]): Inline[] {
  return firstOf(votes, VOTERS, ({ name }) => words(name, 60));
}

/** Who asked, and who approved. */
function people(change: StoredChange, label?: string): Line[] {
  const { votes } = change;
  const by = label === undefined ? "Approved by " : "approved by ";
  return [requestedBy(change, label), ...(votes.length === 0 ? [] : [[words(by), ...voters(votes)]])];
}

function done(change: StoredChange): Block[] {
  const { diff, op, health } = change;
  const outcome = outcomeOf(change);
  // The headline of the others says it all.
  const tellsDiff = op === "updateService" || op === "createService" || op === "createJob";
  const isShort = diff.length === 1 && tellsDiff;
  const moved = outcome?.kind === "done" ? outcome.alsoMoved : [];
  const waits = outcome?.kind === "asked" && health?.kind !== "reached" && op !== "restartService" ? outcome.why : "";
  return [
    ...(tellsDiff && !isShort ? diffList(diff) : []),
    ...sections(
      [isShort ? (diff[0] ?? "") : false, ...healthFacts(change), ...people(change, "requested by ")],
      [waits],
    ),
    ...(moved.length === 0 ? [] : [...sections(["Also changed meanwhile, not by this request:"]), ...diffList(moved)]),
  ];
}

function outcomeOf({ ending: end }: StoredChange): Outcome | undefined {
  return end?.kind === "run" ? end.outcome : undefined;
}

/** "3 of 3 running after 2 s". */
function healthFacts(change: StoredChange): string[] {
  const seen = change.health ?? change.progress;
  if (seen !== undefined) return lineOf(seen, change.op === "createJob");
  if (!isFollowed(change) || outcomeOf(change) === undefined) return [];
  return [change.op === "createJob" ? "The workload API accepted it" : "Accepted, checking that it runs"];
}

/** How long a job ran is in its headline. */
function lineOf({ line, afterMs }: Health, isJob: boolean): string[] {
  const text = truncate(visible(line), 400);
  if (text === "") return [];
  return [isJob || afterMs === undefined ? text : `${text} after ${span(afterMs)}`];
}

function failed(change: StoredChange): Block[] {
  const outcome = outcomeOf(change);
  if (outcome?.kind !== "failed") return [...effect(change), ...sections(people(change))];
  return sections([outcome.why], [`Nothing was changed. ${outcome.next}`], people(change));
}

function unknown(change: StoredChange): Block[] {
  const outcome = outcomeOf(change);
  if (outcome?.kind !== "unknown") return [...effect(change), ...sections(people(change))];
  const isChecking = change.settledAt === undefined;
  const next = isChecking ? "I won't send it again." : outcome.next;
  return sections([outcome.why], [next], people(change));
}

/** Why it didn't run. */
function ending({ ending: end, terms }: StoredChange): Line[] {
  switch (end?.kind) {
    case "rejected":
      return [[words("Rejected by "), words(end.by.name, 80), ...quoted(end.reason)]];
    case "cancelled":
      return [[words("Cancelled by "), words(end.by.name, 80)]];
    case "expired":
      if (end.was === "pending") return ["Not enough approvals in time"];
      return [terms === undefined ? "It couldn't start in time" : "Approved, but it couldn't start in time"];
    default:
      return [];
  }
}

function drifted(change: StoredChange): Block[] {
  const { ending: end, terms } = change;
  const drift = end?.kind === "drifted" ? end.drift : [];
  const approvals = terms === undefined ? "" : " Earlier approvals no longer count.";
  return [
    ...sections([`Nothing was run.${approvals}`]),
    ...driftList(drift),
    // Drift voids the approvals, so nobody is named as an approver.
    ...sections([requestedBy(change)]),
  ];
}
