import type { Health, StoredChange } from "../../changes/stored-change.ts";
import { isFollowed, seenOf, unseenOf } from "../kit/health.ts";
import { truncate, visible, truncateMiddle } from "../kit/text.ts";
import { pastWord, split, allNames } from "./phrases.ts";
import { context, section, type Line, type Block } from "../kit/blocks.ts";
import { strong, words } from "../kit/inline.ts";

/** The first line of a card: one symbol, and what happened to which workload. */
export type Headline = { readonly mark: string; readonly text: string };

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
  const place = parts.findIndex(({ settledAt }) => settledAt === undefined) + 1;
  const stops = parts.some(({ state }) => state === "failed");
  const [doing] = split(change, "running");
  if (place > 0 && !stops) return { mark: "🔄", text: `${doing.trim()} ${place} of ${parts.length}…` };
  const done = parts.filter(({ state }) => state === "done");
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

type Worst = readonly [mark: string, part: StoredChange | undefined, what: (name: string) => string];

/** "2 of 5 restarted: shop-b failed". Never better than the worst of them. */
export function endedHeadline(parts: readonly StoredChange[], past: string): Headline {
  const done = parts.filter(({ state }) => state === "done");
  const late = done.find(isLate);
  const count = `${done.filter((part) => !isLate(part)).length} of ${parts.length} ${pastOf(done, past)}`;
  const first = (state: StoredChange["state"]): StoredChange | undefined => parts.find((part) => part.state === state);
  const seen = (kind: Health["kind"]): StoredChange | undefined => done.find((part) => seenOf(part)?.kind === kind);
  const isOpen = done.some((part) => isFollowed(part) && seenOf(part)?.kind !== "reached");
  const worst: readonly Worst[] = [
    ["❌", first("failed"), (name) => `${name} failed`],
    ["❓", first("unknown"), (name) => `can't tell about ${name}`],
    ["🔴", seen("trouble"), (name) => `${name} is failing`],
    ["⚠️", first("drifted"), (name) => `${name} changed meanwhile`],
    ["🟡", late, (name) => `${name} isn't ${past} yet`],
    ["🟡", seen("not-yet"), (name) => `${name} isn't running yet`],
    ["🟡", done.find((part) => unseenOf(part) !== undefined), (name) => `${name} can't be confirmed`],
  ];
  for (const [mark, part, what] of worst) {
    if (part !== undefined) return { mark, text: `${count}: ${what(truncate(visible(part.workload.name), 80))}` };
  }
  if (done.length === 0) return { mark: "❌", text: `Nothing was ${past}` };
  return { mark: isOpen ? "🟡" : "✅", text: count };
}

type Several = { readonly change: StoredChange; readonly parts: readonly StoredChange[] };

/** A line for each workload, and what was left out. */
export function partBlocks({ change, parts }: Several): Block[] {
  const [first = "–", ...rest] = partLines({ change, parts });
  return [
    section(first, ...rest),
    ...(change.diff.length === 0 ? [] : [context(`Left out: ${truncate(visible(change.diff.join(" · ")), LEFT_OUT)}`)]),
    ...(change.settledAt !== undefined ? [] : [context("One after the other. Stops at the first failure.")]),
  ];
}

const NAME = 50;
const WHY = 200;
/** Beside many others, only the one at which the request stopped has room for its whole reason. */
const SHORT_WHY = 35;
const FEW = 5;
const MOST_ALIKE = 10;
const LEFT_OUT = 800;

/** A line for each; one for all of many while there is nothing to tell them apart by. */
function partLines({ change, parts }: Several): readonly Line[] {
  const states = new Set(parts.map((part) => partState(part, change).join()));
  if (parts.length > MOST_ALIKE && states.size === 1 && states.has(",")) {
    return [[words(allNames(parts), 1_200)]];
  }
  return parts.map((part) => partLine(part, { change, parts }));
}

function partLine(part: StoredChange, { change, parts }: Several): Line {
  const [mark, note] = partState(part, change);
  const stopped = parts.find(({ state }) => state === "failed" || state === "unknown");
  const most = parts.length <= FEW || part === stopped ? WHY : SHORT_WHY;
  const kind = part.workload.kind === "job" ? "job " : "";
  const name = `${kind}${truncateMiddle(visible(part.workload.name), NAME)}`;
  return [strong(`${mark === "" ? "•" : mark} ${name}`), ...(note === "" ? [] : [words(` · ${note}`, most)])];
}

type State = readonly [mark: string, note: string];

/** The mark of a part, and what there is to say about it. */
function partState(part: StoredChange, request: StoredChange): State {
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

const dots: Readonly<Record<Health["kind"], string>> = {
  reached: "🟢",
  trouble: "🔴",
  "not-yet": "🟡",
  unwatched: "🟡",
  watching: "🟡",
};

function doneMark(part: StoredChange): string {
  const seen = seenOf(part);
  if (unseenOf(part) !== undefined && seen?.kind !== "trouble") return "🟡";
  if (seen?.kind === "reached" && part.op === "stopService") return "⚪️";
  if (!isFollowed(part)) return "✅";
  return seen === undefined ? "🟡" : dots[seen.kind];
}

function doneNote(part: StoredChange): string {
  const seen = seenOf(part);
  const unseen = unseenOf(part);
  if (unseen !== undefined) {
    const line = seen === undefined || seen.line === "" ? "" : ` · ${seen.line}`;
    return `accepted; ${unseen} can't be confirmed${line}`;
  }
  if (seen !== undefined && seen.line !== "") return seen.line;
  const { ending } = part;
  const moved = ending?.kind === "run" && ending.outcome.kind === "done" ? ending.outcome.alsoMoved : [];
  return moved.length === 0 ? "" : `also changed: ${moved.join(", ")}`;
}

/** The label of the button that requests the workloads that weren't changed; undefined when there are none. */
export function restLabel({ state, parts = [] }: StoredChange): string | undefined {
  const left = parts.filter((part) => part.state !== "done");
  if (left.length === 0) return undefined;
  if (left.length === parts.length) return "Request again";
  return state === "expired" ? "Request again" : `Request the other ${left.length}`;
}
