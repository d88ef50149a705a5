import { levelOf } from "../../../api/workload-status.ts";
import type { Health, StoredChange } from "../../changes/stored-change.ts";
import { isFollowed, seenOf } from "../kit/seen.ts";
import type { Outcome } from "../../changes/change.ts";
import { truncate, visible } from "../kit/text.ts";
import { dotOf } from "../kit/status.ts";
import { unseenOf } from "../kit/unconfirmed.ts";
import { span } from "../kit/time.ts";
import { phraseText } from "./phrases.ts";
import { type Headline, severalHeadline } from "./several-headline.ts";

/**
 * Never rosier than the workload: a success is claimed only once its health is known. Pure.
 */
export function headline(change: StoredChange, defaultRegion?: string): Headline {
  const say = (form: Parameters<typeof phraseText>[1]): string => phraseText(change, form, defaultRegion);
  const several = severalHeadline(change);
  if (several !== undefined) return several;
  switch (change.state) {
    case "pending":
      return { mark: "⏳", text: `${say("title")}?` };
    case "approved":
      return { mark: "⏳", text: `${say("title")}: runs in a moment` };
    case "claimed":
      return { mark: "🔄", text: `${say("running")}…` };
    case "rejected":
      return { mark: "🚫", text: `Rejected: ${lower(say("title"))}` };
    case "cancelled":
      return { mark: "🚫", text: `Cancelled: ${lower(say("title"))}` };
    case "expired":
      return { mark: "⌛", text: `Expired: ${lower(say("title"))}` };
    case "drifted":
      return { mark: "⚠️", text: `${nameOf(change)} changed while this waited` };
    case "failed":
      return { mark: "❌", text: say("failed") };
    case "unknown":
      return { mark: "❓", text: unknownText(change, say("unsure")) };
    case "done":
      return doneHeadline(change, defaultRegion);
  }
}

function unknownText({ settledAt }: StoredChange, what: string): string {
  return settledAt === undefined ? `Checking whether ${what}…` : `Can't tell whether ${what}`;
}

function lower(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function nameOf({ workload }: StoredChange): string {
  return truncate(visible(workload.name), 255);
}

function outcomeOf({ ending }: Pick<StoredChange, "ending">): Outcome["kind"] | undefined {
  return ending?.kind === "run" ? ending.outcome.kind : undefined;
}

function doneHeadline(change: StoredChange, region: string | undefined): Headline {
  if (change.op === "createJob") return jobHeadline(change, region);
  const seen = seenOf(change);
  if (unseenOf(change) !== undefined) return unconfirmedHeadline(change, seen, region);
  const isOpen = outcomeOf(change) === "asked" && seen?.kind !== "reached";
  if (isOpen && (seen === undefined || seen.kind === "not-yet")) return acceptedHeadline(change, seen, region);
  if (!isFollowed(change)) return success(change, region);
  if (seen === undefined) return { mark: "🔄", text: `${phraseText(change, "running", region)}…` };
  return seen.kind === "reached" ? success(change, region) : unwellHeadline(change, seen, region);
}

/** Accepted, and not visible: the API shows that it is at it, or nothing at all. */
function acceptedHeadline(change: StoredChange, seen: Health | undefined, region: string | undefined): Headline {
  if (isUnderWay(change, seen)) return { mark: "🟡", text: `Still ${lower(phraseText(change, "running", region))}` };
  const what = seen?.outcome ?? "accepted, not visible yet";
  return { mark: "🟡", text: `${phraseText(change, "title", region)}: ${what}` };
}

function isUnderWay({ ending }: StoredChange, seen: Health | undefined): boolean {
  if (seen !== undefined) return seen.level === "busy";
  const outcome = ending?.kind === "run" ? ending.outcome : undefined;
  const status = outcome?.kind === "asked" ? outcome.after?.status : undefined;
  return status !== undefined && levelOf(status) === "busy";
}

function unwellHeadline(change: StoredChange, seen: Health, region: string | undefined): Headline {
  const done = phraseText(change, "done", region);
  const level = seen.kind === "trouble" ? "failing" : seen.level;
  if (level === undefined) return { mark: "🟡", text: `${done}, health unknown` };
  // It is well, and hasn't been for long; or was until it was deleted.
  if (level !== "failing" && seen.outcome === undefined) return { mark: "🟡", text: done };
  return { mark: level === "failing" ? dotOf({ level }) : "🟡", text: `${done}, but ${outcomeWords(seen)}` };
}

/** However well the workload runs, nothing shows that the Change took effect. */
function unconfirmedHeadline(change: StoredChange, seen: Health | undefined, region: string | undefined): Headline {
  const accepted = phraseText(change, "accepted", region);
  if (seen?.kind !== "trouble") return { mark: "🟡", text: accepted };
  const what = outcomeWords(seen);
  return { mark: dotOf({ level: "failing" }), text: `${accepted}, but ${/^\d/u.test(what) ? what : `it ${what}`}` };
}

function success(change: StoredChange, region: string | undefined): Headline {
  return { mark: "✅", text: phraseText(change, "done", region) };
}

function outcomeWords({ outcome = "isn't running as it should" }: Health): string {
  return truncate(visible(outcome), 120);
}

/** The headline follows the job to its end. */
function jobHeadline(change: StoredChange, region: string | undefined): Headline {
  const seen = seenOf(change);
  const name = nameOf(change);
  if (seen === undefined) return { mark: "🔄", text: `${phraseText(change, "running", region)}…` };
  // Older versions took a job that had started for a success, and stored no level.
  if (seen.level === undefined) return { mark: "🟡", text: `${name} created, outcome unknown` };
  const took = seen.kind === "reached" && seen.afterMs !== undefined ? ` in ${span(seen.afterMs)}` : "";
  return { mark: jobMark(seen), text: `${name} ${outcomeWords(seen)}${took}` };
}

function jobMark({ kind, level }: Health): string {
  if (kind === "reached") return "✅";
  if (kind === "trouble") return "❌";
  return kind === "watching" && level === "healthy" ? "🔄" : "🟡";
}
