import type { ChangeState, StoredChange, Who, Health } from "../../changes/stored-change.ts";
import {
  acceptedWords,
  isFollowed,
  isLateHealth,
  overtakenDot,
  overtakenWords,
  seenOf,
  dotOf,
  retreatOf,
  retreatWords,
  unseenOf,
  withSubject,
} from "../kit/health.ts";
import { person, strong, words, type Inline, group, joined } from "../kit/inline.ts";
import { type Names, groupName, nameOf } from "../kit/post.ts";
import type { Terms } from "../../policy/policy.ts";
import { counted, truncate, visible, lower } from "../kit/text.ts";
import { allNames, isRolledOut, type Phrased, regionText, split, phraseText } from "./phrases.ts";
import { levelOf, ROLLING } from "../../../api/workload-status.ts";
import { span } from "../kit/time.ts";
import { type Headline, severalHeadline } from "./several-card.ts";

/** "scale *web* to 5", for use within a sentence. */
export function actionWords(phrased: Phrased, defaultRegion?: string): readonly Inline[] {
  const [before, after] = split(phrased, "title");
  const rest = `${regionText(phrased, defaultRegion)}${after}`;
  const name = strong(allNames(phrased.parts ?? [phrased]), 1_200);
  return [words(lower(before)), name, ...(rest === "" ? [] : [words(rest, 100)])];
}

/** A mention of a person; their name if the id isn't Slack's. */
export function personWords({ userId, name }: Who): Inline {
  const drawn = person(userId);
  return drawn.type === "user" ? drawn : words(name, 80);
}

/** The names of everyone in a Change, added to the given ones. */
export function namesIn({ requester, votes, ending }: StoredChange, names: Names = {}): Names {
  const by = ending?.kind === "rejected" || ending?.kind === "cancelled" ? [ending.by] : [];
  return { ...names, ...Object.fromEntries([requester, ...votes, ...by].map(({ userId, name }) => [userId, name])) };
}

/** Joins lines that a person typed. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\r\n]+\s*/gu, " ");
}

const LISTED = 5;

type Approving = Pick<Terms, "from" | "selfApproval" | "mention">;

/**
 * "@oncall, Alex Kim or another member of this channel". A mention notifies when it is first posted; a name
 * notifies nobody.
 */
export function approversWords({ from, selfApproval, mention }: Approving, names: Names = {}): Inline[] {
  const handle = (id: string): Inline => words(groupName(names, id), 60);
  const name = (id: string): Inline => words(nameOf(names, id), 60);
  const all = [
    ...listed(from.groups, mention === "nobody" ? handle : group),
    ...listed(from.users, mention === "all" ? person : name),
    ...(from.channelMembers ? [words(`${selfApproval ? "any" : "another"} member of this channel`)] : []),
  ];
  const last = all.at(-1);
  if (last === undefined) return [words("nobody")];
  return all.length === 1 ? [last] : [...joined(all.slice(0, -1)), words(" or "), last];
}

function listed(ids: readonly string[], draw: (id: string) => Inline): Inline[] {
  const more = ids.length > LISTED ? [words(`${ids.length - LISTED} more`)] : [];
  return [...ids.slice(0, LISTED).map(draw), ...more];
}

/** "2 approvals from @oncall or Alex Kim". */
export function termsWords(terms: Terms, names: Names = {}): Inline[] {
  return [words(`${counted(terms.votes, "approval")} from `), ...approversWords(terms, names)];
}

type Tell = (change: StoredChange, waitsFor: string | undefined) => string;

const summaries: Readonly<Record<ChangeState, Tell>> = {
  pending: ({ terms, votes }) => `Needs ${counted((terms?.votes ?? 1) - votes.length, "more approval")}.`,
  approved: (change, waitsFor) =>
    `${approval(change)}It ${waitsFor === undefined ? "runs in a moment" : waitWords(waitsFor)}.`,
  claimed: (change) => `${approval(change)}It's running now.`,
  done: (change) =>
    isFollowed(change) && seenOf(change) === undefined
      ? "It was sent, and I'm checking that the workload runs."
      : `It ran: ${headline(change).text}.`,
  failed: (change) => (change.parts === undefined ? "It failed. Nothing was changed." : `${headline(change).text}.`),
  unknown: (change) =>
    change.settledAt === undefined
      ? "It was sent, and no answer came. I'm checking whether it took effect."
      : "It was sent, but I can't tell whether it took effect.",
  rejected: ({ ending }) => (ending?.kind === "rejected" ? `${ending.by.name} rejected it.` : "It was rejected."),
  cancelled: ({ ending }) => (ending?.kind === "cancelled" ? `${ending.by.name} cancelled it.` : "It was cancelled."),
  expired: () => "It expired. Nothing was changed.",
  drifted: ({ wayBackEnd }) =>
    wayBackEnd?.isNeeded === false ? `${wayBackEnd.why}.` : "The workload changed while it waited, so nothing was run.",
};

/** The current state of a request in complete sentences, with real names. `waitsFor`: see `headline`. */
export function changeSummary(change: StoredChange, waitsFor: string | undefined): string {
  return summaries[change.state](change, waitsFor);
}

function approval({ votes }: StoredChange): string {
  const names = votes.map(({ name }) => name);
  const last = names.pop();
  if (last === undefined) return "";
  return `${names.length === 0 ? last : `${names.join(", ")} and ${last}`} approved it. `;
}

/**
 * Never rosier than the workload: a success is claimed only once its health is known. `waitsFor` is the id of the request
 * that runs on the workload now. Pure.
 */
export function headline(change: StoredChange, defaultRegion?: string, waitsFor?: string): Headline {
  const say = (form: Parameters<typeof phraseText>[1]): string => phraseText(change, form, defaultRegion);
  const several = severalHeadline(change);
  if (several !== undefined) return several;
  switch (change.state) {
    case "pending":
      return { mark: "⏳", text: `${say("title")}?` };
    case "approved":
      return { mark: "⏳", text: `${say("title")}: ${waitsFor ? waitWords(waitsFor) : "runs in a moment"}` };
    case "claimed":
      return { mark: "🔄", text: `${say("running")}…` };
    case "rejected":
      return { mark: "🚫", text: `Rejected: ${lower(say("title"))}` };
    case "cancelled":
      return { mark: "🚫", text: `Cancelled: ${lower(say("title"))}` };
    case "expired":
      return { mark: "⌛", text: `Expired: ${lower(say("title"))}` };
    case "drifted":
      return lateHealthHeadline(change) ?? { mark: "⚠️", text: `${workloadName(change)} changed while this waited` };
    case "failed":
      return { mark: "❌", text: say("failed") };
    case "unknown": {
      const isChecking = change.settledAt === undefined;
      return {
        mark: "❓",
        text: isChecking ? `Checking whether ${say("unsure")}…` : `Can't tell whether ${say("unsure")}`,
      };
    }
    case "done":
      return doneHeadline(change, defaultRegion);
  }
}

/** A workload has one Run at a time. */
export function waitWords(requestId: string): string {
  return `waits for request ${truncate(requestId, 40)}`;
}

function workloadName({ workload }: StoredChange): string {
  return truncate(visible(workload.name), 255);
}

function doneHeadline(change: StoredChange, region: string | undefined): Headline {
  if (change.op === "createJob") return jobHeadline(change, region);
  const seen = seenOf(change);
  if (unseenOf(change) !== undefined) return unconfirmedHeadline(change, seen, region);
  const isOpen = change.ending?.kind === "run" && change.ending.outcome.kind === "asked" && seen?.kind !== "reached";
  if (isOpen && (seen === undefined || seen.kind === "not-yet")) return acceptedHeadline(change, seen, region);
  if (!isFollowed(change)) return success(change, region);
  if (seen === undefined) return { mark: "🔄", text: `${phraseText(change, "running", region)}…` };
  return seen.kind === "reached" ? success(change, region) : unwellHeadline(change, seen, region);
}

/** Accepted, and not visible yet: the API shows it in progress, or nothing at all. */
function acceptedHeadline(change: StoredChange, seen: Health | undefined, region: string | undefined): Headline {
  const isOvertaken = overtakenWords(seen) !== undefined;
  if (!isOvertaken && isUnderWay(change, seen)) {
    return { mark: "🟡", text: `Still ${lower(phraseText(change, "running", region))}` };
  }
  const mark = isOvertaken ? overtakenDot : "🟡";
  return { mark, text: `${phraseText(change, "title", region)}: ${acceptedWords(seen)}` };
}

function isUnderWay({ ending }: StoredChange, seen: Health | undefined): boolean {
  if (seen !== undefined) return seen.level === "busy";
  const outcome = ending?.kind === "run" ? ending.outcome : undefined;
  const status = outcome?.kind === "asked" ? outcome.after?.status : undefined;
  return status !== undefined && levelOf(status) === "busy";
}

/** Of the deploy and of its way back. */
function lateHealthHeadline(change: StoredChange): Headline | undefined {
  const { wayBackEnd } = change;
  if (wayBackEnd === undefined || !isLateHealth(change)) return undefined;
  return { mark: dotOf({ level: "healthy" }), text: truncate(visible(wayBackEnd.why), 300) };
}

function unwellHeadline(change: StoredChange, seen: Health, region: string | undefined): Headline {
  const late = seen.kind === "trouble" ? lateHealthHeadline(change) : undefined;
  if (late !== undefined) return late;
  const done = phraseText(change, "done", region);
  const running = phraseText(change, "running", region);
  const { level: now = "busy", outcome = ROLLING } = seen;
  if (seen.kind === "watching" && seen.watch?.rolling !== undefined) {
    if (outcome === ROLLING) return { mark: "🔄", text: `${running}…` };
    return { mark: dotOf({ level: now }), text: `${running}: ${outcomeWords(seen)}` };
  }
  if (outcome === ROLLING && seen.outcome !== undefined) return { mark: "🟡", text: `Still ${lower(running)}` };
  // Nobody would call it deployed.
  if (seen.kind === "trouble" && isRolledOut(change)) {
    const text = `${running}: ${retreatWords(change) ?? outcomeWords(seen)}`;
    return { mark: retreatOf(change) === "gone" ? "❌" : dotOf({ level: "failing" }), text };
  }
  const level = seen.kind === "trouble" ? "failing" : seen.level;
  if (level === undefined) return { mark: "🟡", text: `${done}, health unknown` };
  // It is well, and hasn't been for long; or was until it was deleted.
  if (level !== "failing" && seen.outcome === undefined) return { mark: "🟡", text: done };
  const text = `${done}, but ${afterBut(change, done, outcomeWords(seen))}`;
  if (level === "failing") return { mark: dotOf({ level }), text };
  return { mark: overtakenWords(seen) === undefined ? "🟡" : overtakenDot, text };
}

/** "web scaled to 3, but is failing"; "Deployed 1.5 to web, but it is failing" */
function afterBut(change: StoredChange, done: string, outcome: string): string {
  return done.startsWith(workloadName(change)) ? outcome : withSubject(outcome);
}

/** However well the workload runs, nothing shows that the Change took effect. */
function unconfirmedHeadline(change: StoredChange, seen: Health | undefined, region: string | undefined): Headline {
  const accepted = phraseText(change, "accepted", region);
  const isTrouble = seen?.kind === "trouble";
  const isOvertaken = seen?.outcome !== undefined && overtakenWords(seen) !== undefined;
  if (!isTrouble && !isOvertaken) return { mark: "🟡", text: accepted };
  const text = `${accepted}, but ${afterBut(change, accepted, outcomeWords(seen))}`;
  return { mark: isTrouble ? dotOf({ level: "failing" }) : overtakenDot, text };
}

function success(change: StoredChange, region: string | undefined): Headline {
  return { mark: "✅", text: phraseText(change, "done", region) };
}

function outcomeWords(seen: Health): string {
  return truncate(visible(overtakenWords(seen) ?? seen.outcome ?? "isn't running as it should"), 120);
}

/** The headline follows the job to its end. */
function jobHeadline(change: StoredChange, region: string | undefined): Headline {
  const seen = seenOf(change);
  const name = workloadName(change);
  if (seen === undefined) return { mark: "🔄", text: `${phraseText(change, "running", region)}…` };
  // Older versions took a job that had started for a success, and stored no level.
  if (seen.level === undefined) return { mark: "🟡", text: `${name} created, outcome unknown` };
  const took = seen.kind === "reached" && seen.afterMs !== undefined ? ` in ${span(seen.afterMs)}` : "";
  return { mark: jobMark(seen), text: `${name} ${outcomeWords(seen)}${took}` };
}

function jobMark({ kind, level }: Health): string {
  if (kind === "reached") return "✅";
  if (kind === "trouble") return "❌";
  if (level === "failing") return dotOf({ level });
  return kind === "watching" && level === "healthy" ? "🔄" : "🟡";
}
