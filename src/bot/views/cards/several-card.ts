import { AT_REST } from "../../../api/workload-status.ts";
import type { Health, StoredChange, WayBack } from "../../changes/stored-change.ts";
import { IF_STUCK, isRolledOut, verbWords } from "../kit/verb-words.ts";
import {
  acceptedWords,
  doneState,
  dotOf,
  isDeletedSince,
  isFollowed,
  isLateHealth,
  isOfDeleted,
  overtakenDot,
  overtakenWords,
  seenOf,
  troubleFacts,
  unseenOf,
} from "../kit/health.ts";
import { truncate, visible, truncateMiddle } from "../kit/text.ts";
import { pastWord, split, allNames, versionStep } from "./phrases.ts";
import { context, limits, section, type Line, type Block } from "../kit/blocks.ts";
import { plan, type Task } from "../kit/plan.ts";
import { strong, words } from "../kit/inline.ts";

/** The first line of a card: one symbol, and what happened to which workload. */
export type Headline = { readonly mark: string; readonly text: string };

/** Whether a part came to its good end. A new version has to be healthy: then the next part may follow. */
export function isAchieved(part: StoredChange): boolean {
  return part.state === "done" && (!isRolledOut(part) || seenOf(part)?.kind === "reached");
}

/** Of a request for several workloads that runs or is over; undefined for any other, whose phrases name the workloads. */
export function severalHeadline(change: StoredChange): Headline | undefined {
  const { parts } = change;
  if (parts === undefined) return undefined;
  switch (change.state) {
    case "claimed":
      return running(change, parts);
    case "done":
    case "failed":
    case "unknown":
    case "drifted":
      return endedHeadline(parts, pastWord(change));
    default:
      return undefined;
  }
}

function running(change: StoredChange, parts: readonly StoredChange[]): Headline {
  const isOpen = (part: StoredChange): boolean =>
    part.settledAt === undefined || (isRolledOut(part) && part.state === "done" && !isAchieved(part));
  const place = parts.findIndex(isOpen) + 1;
  const stops = parts.some((part) => hasFailed(part) || seenOf(part)?.kind === "trouble");
  const doing = split(change, "running")[0].replace(/ to $/u, ":").trim();
  if (place > 0 && !stops) return { mark: "🔄", text: `${doing} ${place} of ${parts.length}…` };
  const done = parts.filter(isAchieved);
  return { mark: "🔄", text: `${done.length} of ${parts.length} ${pastOf(done, pastWord(change))}…` };
}

/** What isn't reported for one of them isn't claimed for all. */
function pastOf(done: readonly StoredChange[], past: string): string {
  return done.some((part) => unseenOf(part) !== undefined) ? "accepted" : past;
}

/** Accepted, and not visible yet. */
function isLate(part: StoredChange): boolean {
  const { ending } = part;
  const isAsked = ending?.kind === "run" && ending.outcome.kind === "asked" && unseenOf(part) === undefined;
  return isAsked && seenOf(part)?.kind === "not-yet";
}

/** Somebody changed or deleted it since, so it isn't followed any more. */
function isOvertaken(part: StoredChange): boolean {
  return overtakenWords(seenOf(part)) !== undefined;
}

function hasFailed({ state }: StoredChange): boolean {
  return state === "failed" || state === "expired";
}

/** Refused before it was sent, or too late for it. */
function isUnsent(part: StoredChange): boolean {
  return hasFailed(part) && part.claimedAt === undefined;
}

type Worst = readonly [mark: string, part: StoredChange | undefined, what: (name: string) => string];

/** "2 of 5 restarted: shop-b failed". Never better than the worst of them. */
export function endedHeadline(parts: readonly StoredChange[], past: string): Headline {
  const done = parts.filter(({ state }) => state === "done");
  const overtaken = done.find(isOvertaken);
  const others = done.filter((part) => !isOvertaken(part));
  const late = others.find(isLate);
  const achieved = done.filter((part) => !isLate(part) && isAchieved(part));
  const count = `${achieved.length} of ${parts.length} ${pastOf(done, past)}`;
  const first = (state: StoredChange["state"]): StoredChange | undefined => parts.find((part) => part.state === state);
  const seen = (kind: Health["kind"]): StoredChange | undefined => others.find((part) => seenOf(part)?.kind === kind);
  const isOpen = others.some((part) => isFollowed(part) && seenOf(part)?.kind !== "reached");
  const failed = parts.filter(hasFailed);
  const isRollout = parts.some(isRolledOut);
  const worst: readonly Worst[] = [
    ["❌", failed.find((part) => !isUnsent(part)), (name) => `${name} failed`],
    ["❌", failed[0], (name) => `${name} wasn't run`],
    ["❓", first("unknown"), (name) => `can't tell about ${name}`],
    ...(isRollout ? rolloutTrouble(seen("trouble")) : []),
    ["🔴", seen("trouble"), (name) => `${name} is failing`],
    ["⚠️", first("drifted"), (name) => `${name} changed meanwhile`],
    ["🟡", late, (name) => `${name} isn't ${past} yet`],
    ["🟡", seen("not-yet") ?? (isRollout ? seen("unwatched") : undefined), (name) => `${name} isn't healthy yet`],
    ["🟡", others.find((part) => unseenOf(part) !== undefined), (name) => `${name} can't be confirmed`],
    ["🟡", achieved.length > 0 ? first("cancelled") : undefined, (name) => `${name} wasn't run`],
    [
      isOpen ? "🟡" : overtakenDot,
      overtaken,
      (name) => `${name} ${overtakenWords(overtaken && seenOf(overtaken)) ?? ""}`,
    ],
  ];
  for (const [mark, part, what] of worst) {
    if (part !== undefined) return { mark, text: `${count}: ${what(truncate(visible(part.workload.name), 80))}` };
  }
  if (done.length === 0) return { mark: "❌", text: `Nothing was ${past}` };
  return { mark: isOpen ? "🟡" : "✅", text: count };
}

/** One that went back runs the version from before. */
function rolloutTrouble(stuck: StoredChange | undefined): readonly Worst[] {
  if (stuck !== undefined && isLateHealth(stuck)) return [["🟡", stuck, (name) => `${name} got healthy late`]];
  return [
    ["❌", stuck?.wayBack?.state === "gone" ? stuck : undefined, (name) => `${name} went back`],
    ["🔴", stuck, (name) => `${name} isn't healthy`],
  ];
}

type Several = { readonly change: StoredChange; readonly parts: readonly StoredChange[] };

/** A line for each workload, and what was left out. */
export function partBlocks({ change, parts }: Several): Block[] {
  return [
    partsBlock({ change, parts }),
    ...(change.diff.length === 0 ? [] : [context(`Left out: ${truncate(visible(change.diff.join(" · ")), LEFT_OUT)}`)]),
    ...(change.settledAt !== undefined ? [] : [context(orderWords(parts))]),
  ];
}

/**
 * A plan while new versions are rolled out. Clients can fold a plan, so what is asked for and how it ended are lines that
 * everybody sees.
 */
function partsBlock({ change, parts }: Several): Block {
  if (change.state === "claimed" && parts.length <= limits.planTasks && parts.some(isRolledOut)) {
    const healthy = parts.filter(isAchieved).length;
    return plan(
      `${healthy} of ${parts.length} healthy`,
      parts.map((part) => taskOf(part, { request: change, isShort: parts.length > FEW })),
    );
  }
  const [first = "–", ...rest] = partLines({ change, parts });
  return section(first, ...rest);
}

const statuses: Readonly<Record<string, Task["status"]>> = {
  "": "pending",
  "⏳": "pending",
  "🔄": "in_progress",
  "🟡": "in_progress",
  "🟢": "complete",
  "⚪️": "complete",
  "✅": "complete",
  "🔴": "error",
  "❌": "error",
};

/** Its status takes the place of the mark, except where Slack has none for it. */
function taskOf(part: StoredChange, beside: Beside): Task {
  const [mark, note] = partState(part, beside);
  const name = truncateMiddle(visible(part.workload.name), NAME);
  const status = statuses[mark];
  const text = [...(status === undefined ? [`${mark} ${name}`] : [name]), ...(note === "" ? [] : [note])].join(" · ");
  return { title: truncate(text, NAME + WHY), status: status ?? "error" };
}

function orderWords(parts: readonly StoredChange[]): string {
  if (!parts.some(isRolledOut)) return "One after the other. Stops at the first failure.";
  const lines = parts.flatMap(({ diff }) => diff.filter((line) => line.endsWith(IF_STUCK)));
  const ends = new Set(
    lines.map((line) =>
      line.startsWith("back to ") ? ", which goes back automatically" : ", which then stays as it is",
    ),
  );
  const [end = "", ...others] = ends;
  const isBoth = others.length > 0;
  const after = isBoth ? ", which goes back automatically if its earlier version is known" : end;
  return `One after the other, each when the one before is healthy. Stops at the first that doesn't get ready${after}.`;
}

const NAME = 50;
const WHY = 200;
/** Beside many others, only the one at which the request stopped has room for its whole reason. */
const SHORT_WHY = 35;
const FEW = 5;
const MOST_ALIKE = 10;
const LEFT_OUT = 500;

/** A line for each; one for all of many while there is nothing to tell them apart by. */
function partLines({ change, parts }: Several): readonly Line[] {
  const isShort = parts.length > FEW;
  const states = new Set(parts.map((part) => partState(part, { request: change, isShort }).join()));
  if (parts.length > MOST_ALIKE && states.size === 1 && states.has(",")) {
    return [[words(allNames(parts), 1_200)]];
  }
  return parts.map((part) => partLine(part, { change, parts }));
}

function partLine(part: StoredChange, { change, parts }: Several): Line {
  const [mark, note] = partState(part, { request: change, isShort: parts.length > FEW });
  const stopped = parts.find((each) => hasFailed(each) || each.state === "unknown" || seenOf(each)?.kind === "trouble");
  const most = parts.length <= FEW || part === stopped ? WHY : SHORT_WHY;
  const kind = part.workload.kind === "job" ? "job " : "";
  const name = `${kind}${truncateMiddle(visible(part.workload.name), NAME)}`;
  return [strong(`${mark === "" ? "•" : mark} ${name}`), ...(note === "" ? [] : [words(` · ${note}`, most)])];
}

type State = readonly [mark: string, note: string];

type Beside = { readonly request: StoredChange; readonly isShort: boolean };

/** The mark of a part, and what there is to say about it. */
function partState(part: StoredChange, { request, isShort }: Beside): State {
  const state = isRolledOut(part) ? rolloutState(part, { request, isShort }) : plainState(part, request);
  if (!isDeletedSince(part) || seenOf(part)?.kind === "not-yet") return state;
  const [mark, note] = state;
  // How it ran before doesn't matter any more.
  if (part.state === "done") return ["⚪️", "deleted since"];
  return [mark, [note, "deleted since"].filter((fact) => fact !== "").join(" · ")];
}

/** The same of a new version: which one runs, and which one still does. */
function rolloutState(part: StoredChange, { request, isShort }: Beside): State {
  const [mark, note] = plainState(part, request);
  const { before, from, to } = versionStep(part.diff) ?? {};
  const step = from === undefined ? "" : `${isShort ? from : before} → ${to}`;
  const seen = seenOf(part);
  const all = (...facts: readonly string[]): State => [mark, facts.filter((fact) => fact !== "").join(" · ")];
  const unsent = from === undefined ? "not run" : `not run, still on ${from}`;
  if (part.state === "cancelled" && request.ending?.kind === "run") return all(unsent);
  if (isUnsent(part)) return all(unsent, note);
  if (part.state !== "done") return all(note === "" ? step : note);
  const version = to ?? "the new version";
  if (seen === undefined) return all(`starting ${version}`);
  if (overtakenWords(seen) !== undefined) return all(note);
  switch (seen.kind) {
    case "reached":
      return all(note.endsWith(AT_REST) ? version : `runs ${version}`, seen.digest ?? "", note);
    case "trouble": {
      if (part.wayBackEnd?.isNeeded === false) return ["🟢", part.wayBackEnd.why];
      const goal = versionStep(part.wayBack?.diff ?? [])?.to;
      const going = part.wayBack && `${backWords[part.wayBack.state]}${goal === undefined ? "" : ` to ${goal}`}`;
      const facts = [
        part.wayBackEnd?.why ?? going,
        `${version}: ${seen.outcome ?? "isn't healthy"}`,
        ...troubleFacts(part, seen),
      ].filter(Boolean);
      return [part.wayBack?.state === "gone" ? "❌" : mark, facts.join(" · ")];
    }
    default:
      return all(`${version} ${seen.kind === "watching" ? "is starting" : "isn't healthy yet"}`, note);
  }
}

const backWords: Readonly<Record<WayBack["state"], string>> = {
  going: "going back",
  gone: "went back",
  failing: "not healthy after going back",
  unclear: "may have gone back",
};

function plainState(part: StoredChange, request: StoredChange): State {
  const { state, settledAt, ending } = part;
  const outcome = ending?.kind === "run" ? ending.outcome : undefined;
  const reason = outcome === undefined || outcome.kind === "done" ? "" : outcome.why;
  switch (state) {
    case "claimed":
      return ["🔄", ""];
    case "unknown":
      return ["❓", settledAt === undefined ? "no answer, checking" : reason];
    case "done":
      return [doneMark(part), doneNote(part)];
    case "failed":
      return ["❌", reason];
    case "expired":
      return ["❌", "couldn't start in time"];
    case "drifted":
      return ["⚠️", "skipped: changed meanwhile"];
    default:
      return unsentState(part, request);
  }
}

function unsentState({ state }: StoredChange, request: StoredChange): State {
  if (state === "cancelled") return request.ending?.kind === "run" ? ["▫️", "not run"] : ["", ""];
  return request.state === "claimed" ? ["⏳", ""] : ["", ""];
}

/** A workload that runs has the dot of its status. One that is still followed isn't red: it may get healthy. */
function doneMark(part: StoredChange): string {
  const { kind, mark } = doneState(part);
  const isTrouble = seenOf(part)?.kind === "trouble";
  if (kind === "unpolled" || (!isTrouble && mark === dotOf({ level: "failing" }))) return dotOf({ level: "busy" });
  if (kind !== "well" || !isFollowed(part)) return mark;
  return dotOf({ level: seenOf(part)?.level === "idle" ? "idle" : "healthy" });
}

function doneNote(part: StoredChange): string {
  const seen = seenOf(part);
  const unseen = unseenOf(part);
  const overtaken = overtakenWords(seen);
  if (unseen !== undefined) {
    if (overtaken !== undefined) return acceptedWords(seen);
    const line = seen === undefined || seen.line === "" ? "" : ` · ${seen.line}`;
    return `accepted; ${unseen} can't be confirmed${line}`;
  }
  if (overtaken !== undefined) return overtaken;
  if (seen !== undefined && seen.line !== "") return seen.line;
  const { ending } = part;
  const moved = ending?.kind === "run" && ending.outcome.kind === "done" ? ending.outcome.alsoMoved : [];
  return moved.length === 0 ? "" : `also changed: ${moved.join(", ")}`;
}

/** The workloads that weren't changed and may be requested again. */
export function partsLeft({ parts = [] }: Pick<StoredChange, "parts">): readonly StoredChange[] {
  // A new version may still get healthy.
  return parts.filter((part) => !isAchieved(part) && !isOfDeleted(part));
}

/** The workloads whose change can be undone: not those that went back automatically. */
export function partsToUndo({ parts = [] }: Pick<StoredChange, "parts">): readonly StoredChange[] {
  return parts.filter((part) => part.state === "done" && !part.isUndone && seenOf(part)?.gone === undefined);
}

/** The label of the button that requests the workloads that weren't changed; undefined when there are none. */
export function restLabel(change: StoredChange): string | undefined {
  const { state, settledAt, parts = [] } = change;
  const left = settledAt === undefined ? [] : partsLeft(change);
  if (left.length === 0) return undefined;
  const isWhole = left.length === parts.length || (state === "expired" && !parts.some(isOfDeleted));
  return isWhole ? "Request again" : someOf("Request", left);
}

/** Once some of its workloads were deleted, it names the rest. */
export function undoLabel(change: StoredChange): string {
  const { verb, parts = [] } = change;
  const label = verbWords(verb)?.back ?? "Undo";
  return parts.some((part) => seenOf(part)?.gone !== undefined) ? someOf(label, partsToUndo(change)) : label;
}

/** "Request web only", "Undo the other 2" */
function someOf(what: string, [first, ...others]: readonly StoredChange[]): string {
  if (first === undefined) return what;
  return others.length > 0
    ? `${what} the other ${others.length + 1}`
    : `${what} ${truncateMiddle(visible(first.workload.name), NAME)} only`;
}
