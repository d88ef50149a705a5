import type { StoredChange, Vote } from "../../changes/stored-change.ts";
import { isLateHealth, seenOf } from "../kit/health.ts";
import { beforeRequester } from "../kit/request-words.ts";
import { listed, type Line, type Block } from "../kit/blocks.ts";
import { expires, firstOf, words, type Inline } from "../kit/inline.ts";
import type { Names } from "../kit/post.ts";
import { namesAnd, saidOnce, truncate, visible, capital } from "../kit/text.ts";
import { isDeletion, oneLine, personWords, termsWords } from "./change-words.ts";
import { diffList, driftList } from "./diff.ts";
import { alsoTaken, changesOf } from "../kit/verb-words.ts";
import { errorBlocks, healthFacts, outcomeOf, retreatFacts } from "./health-facts.ts";
import { effectWords } from "./phrases.ts";
import { partBlocks } from "./several-card.ts";

const VOTERS = 5;
const REASON = 500;
const WHY = 500;
const WARNINGS = 3;

/** People who can approve a request now. */
export type CanApprove = {
  /** Some of them. */
  readonly names: readonly string[];
  /** Undefined when Slack hasn't told who all of them are. */
  readonly count: number | undefined;
};

/** The facts below the headline: those needed to decide, then the outcome, who asked and who approved. */
export function changeFacts(change: StoredChange, names: Names, approvers?: CanApprove): Block[] {
  if (change.parts !== undefined) return severalFacts(change, change.parts, names, approvers);
  const { fact, list } = difference(change);
  switch (change.state) {
    case "pending":
      return [...effect(change), ...sections([requestedBy(change)], needs(change, names), ableWords(approvers))];
    case "approved":
    case "claimed":
      return [...effect(change), ...sections(people(change))];
    case "done":
      return done(change);
    case "failed": {
      const outcome = outcomeOf(change);
      const [why, next] = unchanged(outcome?.kind === "failed" ? outcome : { why: "", next: "" });
      return [...list, ...sections([why], [next], [...fact, ...people(change)])];
    }
    case "unknown":
      return unknown(change);
    case "rejected":
    case "cancelled":
    case "expired":
      return [...list, ...sections([...ending(change), "nothing was changed"], [...fact, ...people(change)])];
    case "drifted":
      return drifted(change);
  }
}

function severalFacts(
  change: StoredChange,
  parts: readonly StoredChange[],
  names: Names,
  approvers: CanApprove | undefined,
): Block[] {
  const also = parts.flatMap(({ workload, diff }) => alsoTaken(diff).map((line) => `${workload.name}: ${line}`));
  const lines = [...partBlocks({ change, parts }), ...diffList(also)];
  switch (change.state) {
    case "pending":
      return [
        ...lines,
        ...sections([effectWords(change) ?? false], [requestedBy(change)], needs(change, names), ableWords(approvers)),
      ];
    case "rejected":
    case "cancelled":
    case "expired":
      return [...lines, ...sections([...ending(change), "nothing was changed"], people(change))];
    default:
      return [
        ...lines,
        ...notBegun(change, parts),
        ...errorBlocks(parts),
        ...warningLines(parts),
        ...sections(people(change)),
      ];
  }
}

/** Why none of them was begun. */
function notBegun(change: StoredChange, parts: readonly StoredChange[]): Block[] {
  const outcome = outcomeOf(change);
  if (outcome?.kind !== "failed" || parts.some(({ state }) => state !== "cancelled")) return [];
  const [why, next] = unchanged(outcome);
  return sections([why], [next]);
}

/** Why it failed, and what to do. What is quoted may have said that nothing was changed. */
function unchanged({ why, next }: { readonly why: string; readonly next: string }): readonly [string, string] {
  return saidOnce([why, `Nothing was changed. ${next}`]);
}

/** Lines of facts, each joined by dots; no block without any. */
function sections(...lines: readonly (readonly (Line | false)[])[]): Block[] {
  const all = lines.flatMap((facts): Line[] => {
    const pieces = facts.flatMap((fact) =>
      fact === false || fact.length === 0 ? [] : [typeof fact === "string" ? [words(fact, WHY)] : fact],
    );
    const line = pieces.flatMap((piece, at) => (at === 0 ? piece : [words(" · "), ...piece]));
    return line.length === 0 ? [] : [capitalized(line)];
  });
  return listed(all);
}

/** Facts are lower case, and a line begins with a capital, unless it begins with the name of an instance: `web-0`. */
function capitalized([first, ...rest]: readonly Inline[]): Inline[] {
  if (first === undefined) return [];
  if (first.type === "date") {
    return [{ ...first, format: capital(first.format), fallback: capital(first.fallback ?? "") }, ...rest];
  }
  if (first.type !== "text" || first.style !== undefined || /^\S*-\S*\d/u.test(first.text)) return [first, ...rest];
  return [{ ...first, text: capital(first.text) }, ...rest];
}

/** What it will do: one difference on a line with its effect, several as a list. */
function effect(change: StoredChange): Block[] {
  const { diff } = change;
  const hurts = effectWords(change);
  const [only] = diff;
  // The headline of its card says what goes.
  if (change.state === "pending" && isDeletion(change) && diff.length === 1) return sections([hurts ?? false]);
  if (only !== undefined && diff.length === 1) {
    return sections([truncate(visible(only), REASON), hurts ?? false]);
  }
  return [...diffList(diff), ...sections([hurts ?? false])];
}

/** `requested by @dana: "orders time out"`. */
function requestedBy(change: StoredChange): Inline[] {
  return [words(beforeRequester(change)), personWords(change.requester), ...quoted(change.reason)];
}

function quoted(reason: string | undefined): Inline[] {
  return reason === undefined ? [] : [words(`: "${truncate(oneLine(reason), REASON)}"`, REASON + 4)];
}

function needs({ terms, votes, expiresAt }: StoredChange, names: Names): Line[] {
  if (terms === undefined) return [];
  const count = `${votes.length} of ${terms.votes}`;
  return [
    [words("needs "), ...termsWords(terms, names)],
    votes.length === 0 ? count : [words(`${count} (`), ...voters(votes), words(")")],
    ...(expiresAt === undefined ? [] : [[expires(expiresAt.toISOString())]]),
  ];
}

/** "can approve now: Alex Kim, Kim Alexis and 3 more". */
function ableWords(approvers: CanApprove | undefined): string[] {
  if (approvers === undefined) return [];
  const { names, count } = approvers;
  if (names.length === 0) return [count === 0 ? "nobody can approve now" : "who can approve now isn't known"];
  return [`can approve now: ${namesAnd(approvers)}`];
}

function voters(votes: readonly Vote[]): Inline[] {
  return firstOf(votes, VOTERS, ({ name }) => words(name, 60));
}

/** Who asked, and who approved. */
function people(change: StoredChange): Line[] {
  const { votes } = change;
  return [requestedBy(change), ...(votes.length === 0 ? [] : [[words("approved by "), ...voters(votes)]])];
}

/** The differences, where the headline doesn't tell all: one as a fact, several as a list. */
function difference(change: StoredChange): { readonly fact: readonly string[]; readonly list: Block[] } {
  const { op } = change;
  // The first line is the headline.
  if (op !== "updateService" && op !== "createService" && op !== "createJob") {
    return { fact: [], list: diffList(change.diff.slice(1)) };
  }
  // Once it has ended, its card says what came of it.
  const isOver =
    change.state === "done" && seenOf(change)?.watch?.rolling === undefined && seenOf(change) !== undefined;
  const left = isOver ? changesOf(change.diff) : change.diff;
  const digest = seenOf(change)?.digest;
  const diff = left.map((line) => (digest !== undefined && /^image\b.* → /u.test(line) ? `${line} · ${digest}` : line));
  const [only] = diff;
  const isShort = only !== undefined && diff.length === 1;
  return isShort ? { fact: [truncate(visible(only), REASON)], list: [] } : { fact: [], list: diffList(diff) };
}

function done(change: StoredChange): Block[] {
  const { reason } = change;
  const outcome = outcomeOf(change);
  const { fact, list } = difference(change);
  const moved = outcome?.kind === "done" ? outcome.alsoMoved : [];
  // A poll says more than the read-back, unless it failed.
  const isOpen = outcome?.kind === "asked" && (outcome.unseen !== undefined || seenOf(change) === undefined);
  const waits = isOpen ? outcome.why : "";
  const seen = healthFacts(change);
  const back = retreatFacts(change);
  const asked = [...fact, ...people(change)];
  // A reason can be long.
  const lines = back.length > 0 ? [seen, back, asked] : [[...seen, ...fact], people(change)];
  return [
    ...list,
    ...sections(...(reason === undefined && back.length === 0 ? [[...seen, ...asked]] : lines), [waits]),
    ...errorBlocks([change]),
    ...warningLines([change]),
    ...(moved.length === 0 ? [] : [...sections(["also changed meanwhile, not by this request:"]), ...diffList(moved)]),
  ];
}

function warningLines(changes: readonly StoredChange[]): Block[] {
  const all = changes.flatMap((each) => {
    const outcome = outcomeOf(each);
    return outcome?.kind === "done" || outcome?.kind === "asked" ? (outcome.warnings ?? []) : [];
  });
  const warnings = [...new Set(all)].slice(0, WARNINGS);
  return warnings.flatMap((text) => sections([[words(`⚠️ The cluster warns: ${oneLine(text)}`, WHY)]]));
}

function unknown(change: StoredChange): Block[] {
  const outcome = outcomeOf(change);
  const { fact, list } = difference(change);
  const [why, next] = outcome?.kind === "unknown" ? [outcome.why, outcome.next] : ["", ""];
  const isChecking = change.settledAt === undefined;
  return [...list, ...sections([why], [isChecking ? "I won't send it again." : next], [...fact, ...people(change)])];
}

/** Why it didn't run. */
function ending({ ending: end, terms }: StoredChange): Line[] {
  switch (end?.kind) {
    case "rejected":
      return [[words("rejected by "), words(end.by.name, 80), ...quoted(end.reason)]];
    case "cancelled":
      return [[words("cancelled by "), words(end.by.name, 80)]];
    case "expired":
      if (end.was === "pending") return ["not enough approvals in time"];
      return [terms === undefined ? "it couldn't start in time" : "approved, but it couldn't start in time"];
    default:
      return [];
  }
}

function drifted(change: StoredChange): Block[] {
  if (isLateHealth(change)) return sections([requestedBy(change)]);
  const { ending: end, terms } = change;
  const drift = end?.kind === "drifted" ? end.drift : [];
  const approvals = terms === undefined ? "" : " Earlier approvals no longer count.";
  return [
    ...sections([`nothing was run.${approvals}`]),
    ...driftList(drift),
    // Drift voids the approvals, so nobody is named as an approver.
    ...sections([requestedBy(change)]),
  ];
}
