import type { Health, StoredChange } from "../../changes/stored-change.ts";
import type { Outcome } from "../../changes/change.ts";
import { truncate, visible } from "../kit/text.ts";
import { dotOf } from "../kit/status.ts";
import { span } from "../kit/time.ts";
import { phraseText } from "./phrases.ts";
import { severalHeadline } from "./several-card.ts";

/** The first line of a card: one symbol, and what happened to which workload. */
export type Headline = { readonly mark: string; readonly text: string };

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
      return change.settledAt === undefined
        ? { mark: "❓", text: `Checking whether ${say("unsure")}…` }
        : { mark: "❓", text: `Can't tell whether ${say("unsure")}` };
    case "done":
      return change.op === "createJob" ? jobHeadline(change, defaultRegion) : doneHeadline(change, defaultRegion);
  }
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
  const { health } = change;
  const running = phraseText(change, "running", region);
  const still = { mark: "🟡", text: `Still ${lower(running)}` };
  if (!isFollowed(change)) return outcomeOf(change) === "asked" ? still : success(change, region);
  if (health === undefined) return { mark: "🔄", text: `${running}…` };
  const done = phraseText(change, "done", region);
  switch (health.kind) {
    case "reached":
      return success(change, region);
    case "trouble":
      return { mark: dotOf({ level: health.level ?? "failing" }), text: `${done}, but ${outcomeWords(health)}` };
    case "not-yet":
      if (health.level === undefined) return { mark: "🟡", text: `${done}, health unknown` };
      return outcomeOf(change) === "asked" && health.level !== "failing"
        ? still
        : { mark: health.level === "failing" ? "🔴" : "🟡", text: `${done}, but ${outcomeWords(health)}` };
    case "unwatched":
    case "watching":
      return { mark: "🟡", text: `${done}, health unknown` };
  }
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
  // Older versions took a job that had started for a success.
  if (seen?.level === undefined && change.health !== undefined) {
    return { mark: "🟡", text: `${name} created, outcome unknown` };
  }
  if (seen === undefined) return { mark: "🔄", text: `${phraseText(change, "running", region)}…` };
  switch (seen.kind) {
    case "reached":
      return { mark: "✅", text: `${name} completed${seen.afterMs === undefined ? "" : ` in ${span(seen.afterMs)}`}` };
    case "trouble":
      return { mark: "❌", text: `${name} ${outcomeWords(seen)}` };
    case "watching":
      return { mark: seen.level === "healthy" ? "🔄" : "🟡", text: `${name} ${outcomeWords(seen)}` };
    case "not-yet":
      return { mark: "🟡", text: `${name} ${outcomeWords(seen)}` };
    case "unwatched":
      return { mark: "🟡", text: `${name} created, outcome unknown` };
  }
}
