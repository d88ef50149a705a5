import type { Change, WorkloadRef } from "../../changes/change.ts";
import type { Health, StoredChange } from "../../changes/stored-change.ts";
import { isFollowed, seenOf } from "../kit/seen.ts";
import { context, section, type Line } from "../kit/blocks.ts";
import { joined, strong, words } from "../kit/inline.ts";
import type { Block, Post } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";
import { counted, truncate, visible, truncateMiddle } from "../kit/text.ts";
import { unseenOf } from "../kit/unconfirmed.ts";
import { allNames } from "./phrases.ts";

type Several = { readonly change: StoredChange; readonly parts: readonly StoredChange[] };

/** A line for each workload, and what was left out. */
export function partBlocks({ change, parts }: Several): Block[] {
  const [first = "–", ...rest] = partLines({ change, parts });
  return [
    section(first, ...rest),
    ...(change.diff.length === 0 ? [] : [context(`Left out: ${truncate(visible(change.diff.join(" · ")), LEFT_OUT)}`)]),
    ...(isOver(change) ? [] : [context("One after the other. Stops at the first failure.")]),
  ];
}

function isOver({ settledAt }: StoredChange): boolean {
  return settledAt !== undefined;
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

/** Every workload is already as requested. */
export function nothingToDoForAny(changes: readonly Change[]): Post {
  const workloads: readonly WorkloadRef[] = changes.map(({ workload }) => workload);
  const names = joined(workloads.slice(0, 10).map(({ name }) => strong(truncateMiddle(visible(name), NAME), NAME)));
  const more = workloads.length > 10 ? [words(` and ${counted(workloads.length - 10, "other")}`)] : [];
  return postOf([section([...names, ...more, words(" are already as requested. Nothing to do.")])]);
}
