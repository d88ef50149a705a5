import type { HistoryEvent } from "../../changes/history-event.ts";
import type { Alert, Incident, IncidentCause } from "../../watch/incident.ts";
import type { Mute, WatchPlace } from "../../watch/watch.ts";
import { causeWords } from "../../../api/cause.ts";
import { statusSentence } from "../../../api/workload-status.ts";
import { dotOf } from "../kit/health.ts";
import { type Inline, moment, strong, words } from "../kit/inline.ts";
import { span } from "../kit/time.ts";

export type IncidentCard = {
  readonly alert: Alert;
  /** This region isn't mentioned. */
  readonly defaultRegion: string;
  /** What was requested about the one workload since an hour before it, newest first; undefined where its readers may not know. */
  readonly history: readonly HistoryEvent[] | undefined;
  /** `history` has all that was sent about it in that time. Otherwise, what isn't in it may have happened all the same. */
  readonly isHistoryWhole: boolean;
  /** What the log of the one workload said when it began; undefined where its readers may not know. */
  readonly logCause?: string | undefined;
  /** It holds back what fails now. */
  readonly mute?: Mute | undefined;
  /** Where its watch tells. */
  readonly place: WatchPlace;
  /** Only one person sees the message. */
  readonly isDirect: boolean;
  /** Slack took, or may have taken, an earlier message of it, which nothing updates. */
  readonly isAgain?: boolean;
};

export const API = "The workload API";

/** Lines of a list. */
export const LISTED = 10;

export const incidentWords: Readonly<Record<IncidentCause, (typeof causeWords)["failing"]>> = {
  ...causeWords,
  "api-away": { one: "doesn't answer", several: "don't answer", was: "didn't answer" },
};

/** It failed, and may be starting again: that doesn't explain it. */
export function openWords({ seen, cause }: Incident): string {
  if (cause === "api-away") return seen?.words ?? incidentWords[cause].one;
  return seen?.cause === cause ? statusSentence(seen) : incidentWords[cause].one;
}

export function dotOfOpen({ seen, cause }: Incident): string {
  return dotOf({ level: seen?.cause === cause ? seen.level : "failing" });
}

/** What became of one, and of some among several. */
export const ends: Readonly<Record<NonNullable<Incident["end"]>, readonly [dot: string, what: string, some: string]>> =
  {
    recovered: ["🟢", "recovered", "recovered"],
    stopped: ["⚪️", "was stopped", "stopped"],
    idle: ["⚪️", "became idle", "idle"],
    deleted: ["⚪️", "was deleted", "deleted"],
    replaced: ["⚪️", "was replaced by another workload of its name", "replaced"],
    unwatched: ["⚪️", "isn't watched any more", "not watched any more"],
    restored: [
      "⚪️",
      "isn't updated here any more: Gantry was restored from a backup",
      "not updated any more after a restore",
    ],
  };

/** False for an incident that is no longer polled: its end wasn't seen. */
export function wasSeen(end: Incident["end"]): boolean {
  return end !== "unwatched" && end !== "restored";
}

export function headlineOver(incident: Incident): Inline {
  const { name, cause, end = "unwatched" } = incident;
  const [dot, what] = ends[end];
  if (cause === "api-away") {
    const text = end === "recovered" ? "answers again" : "isn't asked any more";
    return strong(`${dot} ${API} ${text}${afterWords(incident)}`, 300);
  }
  return strong(`${dot} ${name} ${what}${wasSeen(end) ? afterWords(incident) : ""}`, 300);
}

/** " after 12 min"; of an end that nobody saw, when at the latest. */
export function afterWords({ openedAt, overAt, overUnseenSince }: Incident): string {
  if (overAt === undefined) return "";
  const lasted = span(overAt.getTime() - openedAt.getTime());
  return overUnseenSince === undefined ? ` after ${lasted}` : ` after ${lasted} at the latest`;
}

/** "Since 14:02", or when it was found. */
export function sinceWords({ openedAt, unseenSince }: Incident): Inline[] {
  const at = openedAt.toISOString();
  if (unseenSince === undefined) return [moment(at, "Since ")];
  return [moment(at, "Found "), moment(unseenSince.toISOString(), ". I wasn't running since "), words(".")];
}
