import type { StoredChange } from "../changes/stored-change.ts";
import type { Incident } from "./incident.ts";

/** A Change that is followed or in trouble, with the card of its request. */
export type ChangeAbout = {
  readonly change: StoredChange;
  /** Slack shows that card as it is, and its thread has all replies. */
  readonly isDrawn: boolean;
};

/** For so long, the watch waits for a card that may still tell. */
const CARD_WITHIN_MS = 2 * 60_000;
const ASK_AGAIN_MS = 5_000;

type Asked = {
  readonly incident: Incident;
  /** A channel, or a person for their direct message. */
  readonly place: string;
  /** Those of the incident's workload. */
  readonly changes: readonly ChangeAbout[];
  /** When the watch may tell. */
  readonly countsAt: Date;
  readonly now: Date;
};

/** Who tells a place of an incident: its watch, or the card of a request there. Pure. */
export function speakerOf({
  incident,
  place,
  changes,
  countsAt,
  now,
}: Asked): "watch" | "card" | { readonly waitUntil: Date } {
  const here = changes.filter(({ change }) => isIn(place, change) && mayBeOf(change, incident));
  const said = here.filter(({ change }) => isSaid(change, incident));
  if (said.some(({ isDrawn }) => isDrawn)) return "card";
  // The card of a job tells only how it ended.
  const isTold = incident.kind === "service" || incident.cause === "job-failed";
  const mayTell = said.length > 0 || (isTold && here.some(({ change }) => change.health === undefined));
  const waitedMs = now.getTime() - Math.max(countsAt.getTime(), incident.overAt?.getTime() ?? 0);
  if (!mayTell || waitedMs > CARD_WITHIN_MS) return "watch";
  return { waitUntil: new Date(now.getTime() + ASK_AGAIN_MS) };
}

function isIn(place: string, { card, requester, notifies }: StoredChange): boolean {
  // The id of a direct message isn't that of its person.
  const shownIn = card?.channelId.startsWith("D") === true ? requester.userId : card?.channelId;
  return place === shownIn || (notifies === true && place === requester.userId);
}

/** The Change was sent before this workload failed. A failure that comes back is told only by a card that is still followed. */
function mayBeOf({ claimedAt, ending, health, workload }: StoredChange, { openedAt, times, seen }: Incident): boolean {
  const { outcome } = ending?.kind === "run" ? ending : {};
  const uid = (outcome?.kind === "done" ? outcome.after?.uid : undefined) ?? workload.uid;
  const isOther = uid !== undefined && seen?.uid !== undefined && uid !== seen.uid;
  const isFirst = times === 1 || health === undefined;
  return isFirst && claimedAt !== undefined && claimedAt <= openedAt && !isOther;
}

/** The Change's latest poll saw what the watch would tell. */
function isSaid({ health, progress, settledAt }: StoredChange, { openedAt, end }: Incident): boolean {
  if (end === "recovered") return health === undefined && progress?.recovered === true;
  const { kind, afterMs } = health ?? progress ?? {};
  if (kind !== "trouble") return false;
  // A failure that began after the last poll is another one. The health of a job has no such time: jobs fail once.
  const isLast = health !== undefined && afterMs !== undefined && settledAt !== undefined;
  return !isLast || openedAt.getTime() - settledAt.getTime() - afterMs <= CARD_WITHIN_MS;
}
