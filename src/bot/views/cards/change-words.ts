import type { ChangeState, StoredChange, Who } from "../../changes/stored-change.ts";
import {
  acceptedWords,
  type DoneState,
  doneState,
  isFollowed,
  isLateHealth,
  seenOf,
  dotOf,
  oldOnesServe,
  retreatOf,
  withSubject,
} from "../kit/health.ts";
import { person, strong, words, type Inline, group, joined } from "../kit/inline.ts";
import { type Names, groupName, nameOf } from "../kit/post.ts";
import type { Terms } from "../../policy/policy.ts";
import { capital, counted, truncate, visible, lower } from "../kit/text.ts";
import { allNames, type Phrased, regionText, split, phraseText, versionName } from "./phrases.ts";
import { levelOf } from "../../../api/workload-status.ts";
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
  return inForm(change, { defaultRegion, waitsFor, done: "done" });
}

/** The same for a line of history, which begins with what was done: "Scaled web to 3". */
export function pastHeadline(change: StoredChange, defaultRegion: string): Headline {
  if (change.state !== "pending" && change.state !== "approved") return inForm(change, { defaultRegion, done: "did" });
  return { mark: "⏳", text: `Asked to ${lower(phraseText(change, "title", defaultRegion))}` };
}

type Form = {
  readonly defaultRegion: string | undefined;
  readonly waitsFor?: string | undefined;
  readonly done: "done" | "did";
};

function inForm(change: StoredChange, { defaultRegion, waitsFor, done }: Form): Headline {
  const say = (form: Parameters<typeof phraseText>[1]): string => phraseText(change, form, defaultRegion);
  const several = severalHeadline(change);
  if (several !== undefined) return several;
  switch (change.state) {
    case "pending":
      return isDeletion(change)
        ? { mark: "🗑️", text: deletionText(change, defaultRegion) }
        : { mark: "⏳", text: `${say("title")}?` };
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
      return isLateHealth(change)
        ? { mark: dotOf({ level: "healthy" }), text: lateText(change) }
        : { mark: "⚠️", text: `${workloadName(change)} changed while this waited` };
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
      return doneHeadline(change, defaultRegion, done);
  }
}

/** Its card and its button look like no other. */
export function isDeletion({ op }: Pick<StoredChange, "op">): boolean {
  return op === "deleteService" || op === "deleteJob";
}

/** "Permanently deletes web (2 running instances)"; of several, their names. */
function deletionText(change: StoredChange, defaultRegion: string | undefined): string {
  const [what, ...others] = change.diff;
  const isOne = change.parts === undefined && what !== undefined && others.length === 0;
  const text = isOne ? what : `permanently deletes ${allNames(change.parts ?? [change])}`;
  return `${capital(text)}${regionText(change, defaultRegion)}`;
}

/** A workload has one Run at a time. */
export function waitWords(requestId: string): string {
  return `waits for request ${truncate(requestId, 40)}`;
}

function workloadName({ workload }: StoredChange): string {
  return truncate(visible(workload.name), 255);
}

function doneHeadline(change: StoredChange, region: string | undefined, done: Form["done"]): Headline {
  const state = doneState(change);
  const text = change.op === "createJob" ? jobText(change, state) : doneText(change, state, { region, done });
  return { mark: state.mark, text };
}

type Told = { readonly region: string | undefined; readonly done: Form["done"] };

function doneText(change: StoredChange, { kind, but }: DoneState, { region, done }: Told): string {
  const say = (form: Parameters<typeof phraseText>[1]): string => phraseText(change, form, region);
  const why = shortWhy(but);
  switch (kind) {
    case "unpolled":
      return `${say("running")}…`;
    case "accepted":
      return but === "" && isUnderWay(change)
        ? `Still ${lower(say("running"))}`
        : `${say("title")}: ${acceptedWords(seenOf(change))}`;
    case "unconfirmed":
      return afterBut(change, say("accepted"), why);
    case "rolling":
      return why === "" ? `${say("running")}…` : `${say("running")}: ${why}`;
    case "slow":
      return `Still ${lower(say("running"))}`;
    case "stuck":
      // Nobody would call it deployed.
      return retreatText(change, region) ?? `${say("running")}: ${why}`;
    case "late":
      return lateText(change);
    case "unknown":
      return `${say(done)}, health unknown`;
    case "well":
    case "settling":
    case "unwell":
      return afterBut(change, say(done), why);
  }
}

/** "web stays on :1.4, because :1.5 didn't get ready". Undefined of what doesn't go back. */
export function retreatText(change: StoredChange, region: string | undefined): string | undefined {
  const retreat = retreatOf(change);
  if (retreat === undefined) return undefined;
  const { outcome = "isn't healthy", line = "" } = seenOf(change) ?? {};
  const to = versionName(change.diff) ?? "the new version";
  const back = versionName(retreat.diff) ?? "the earlier version";
  const name = `${workloadName(change)}${regionText(change, region)}`;
  const after = `, because ${to} ${/^(?:the |its |\d)/u.test(outcome) ? "didn't get ready" : shortWhy(outcome)}`;
  switch (retreat.state) {
    case "going":
      return `${name} goes back to ${back}${after}`;
    case "gone":
      return `${name} ${oldOnesServe({ line }) ? "stays" : "is back"} on ${back}${after}`;
    case "failing":
      return `${name} isn't healthy on ${back} either`;
    case "unclear":
      return `${name} may be back on ${back}${after}`;
  }
}

/** Of the deploy and of its way back. */
function lateText({ wayBackEnd }: StoredChange): string {
  return truncate(visible(wayBackEnd?.why ?? ""), 300);
}

/** The API shows it in progress. */
function isUnderWay(change: StoredChange): boolean {
  const { ending } = change;
  const seen = seenOf(change);
  if (seen !== undefined) return seen.level === "busy";
  const outcome = ending?.kind === "run" ? ending.outcome : undefined;
  const status = outcome?.kind === "asked" ? outcome.after?.status : undefined;
  return status !== undefined && levelOf(status) === "busy";
}

/** "web scaled to 3, but is failing"; "Deployed :1.5 to web, but it is failing" */
function afterBut(change: StoredChange, done: string, why: string): string {
  if (why === "") return done;
  return `${done}, but ${done.startsWith(workloadName(change)) ? why : withSubject(why)}`;
}

/** The headline follows the job to its end. */
function jobText(change: StoredChange, { kind, but }: DoneState): string {
  const name = workloadName(change);
  if (kind === "unpolled") return `${phraseText(change, "running")}…`;
  if (kind === "unknown") return `${name} created, outcome unknown`;
  const afterMs = kind === "well" ? seenOf(change)?.afterMs : undefined;
  return `${name} ${shortWhy(but)}${afterMs === undefined ? "" : ` in ${span(afterMs)}`}`;
}

function shortWhy(but: string): string {
  return truncate(visible(but), 120);
}
