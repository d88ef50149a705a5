import type { Health, StoredChange } from "../../changes/stored-change.ts";
import type { Outcome } from "../../changes/change.ts";
import { truncate, visible } from "../kit/text.ts";
import { dotOf } from "../kit/status.ts";
import { span } from "../kit/time.ts";
import { phraseText } from "./phrases.ts";
import { type Headline, severalHeadline } from "./several-headline.ts";

/** Deletions have nothing to look at afterwards. */
export function isFollowed({ op }: Pick<StoredChange, "op">): boolean {
  return op !== "deleteService" && op !== "deleteJob";
}

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

function outcomeOf({ ending }: StoredChange): Outcome["kind"] | undefined {
  return ending?.kind === "run" ? ending.outcome.kind : undefined;
}

function doneHeadline(change: StoredChange, region: string | undefined): Headline {
  if (change.op === "createJob") return jobHeadline(change, region);
  if (!isFollowed(change)) return outcomeOf(change) === "asked" ? still(change, region) : success(change, region);
  const { health } = change;
  if (health === undefined) return { mark: "🔄", text: `${phraseText(change, "running", region)}…` };
  return health.kind === "reached" ? success(change, region) : unwellHeadline(change, health, region);
}

function unwellHeadline(change: StoredChange, health: Health, region: string | undefined): Headline {
  const done = phraseText(change, "done", region);
  const level = health.level ?? (health.kind === "trouble" ? "failing" : undefined);
  if (level === undefined) return { mark: "🟡", text: `${done}, health unknown` };
  if (health.kind === "not-yet" && outcomeOf(change) === "asked" && level !== "failing") return still(change, region);
  return { mark: level === "failing" ? dotOf({ level }) : "🟡", text: `${done}, but ${outcomeWords(health)}` };
}

/** Accepted, and not visible. */
function still(change: StoredChange, region: string | undefined): Headline {
  return { mark: "🟡", text: `Still ${lower(phraseText(change, "running", region))}` };
}

function success(change: StoredChange, region: string | undefined): Headline {
  return { mark: change.op === "restartService" ? "🔄" : "✅", text: phraseText(change, "done", region) };
}

function outcomeWords({ outcome = "isn't running as it should" }: Health): string {
  return truncate(visible(outcome), 120);
}

/** The headline follows the job to its end. */
function jobHeadline(change: StoredChange, region: string | undefined): Headline {
  const seen = change.health ?? change.progress;
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
