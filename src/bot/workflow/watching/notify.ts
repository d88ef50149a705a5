import { createHash } from "node:crypto";
import type { AccountSeeker } from "../../accounts/resolve.ts";
import { createTurns } from "../../../platform/turns.ts";
import { countsAt, covers, endOfQuiet, muteOf, placeOf, placeOfMute, speakerOf, tellingOf } from "../../watch/due.ts";
import type { Incident, NoticedEvent } from "../../watch/incident.ts";
import type { Mute, QuietHours, Watch } from "../../watch/watch.ts";
import type { Notice, Placing } from "../stored.ts";
import type { WorkflowParts } from "../ports.ts";
import type { Due } from "../due-kinds.ts";
import type { DueEnd } from "../due.ts";
import { type Sight, sightOf } from "./rights.ts";

/** Slack couldn't say who the owner of a watch is: it is asked again then. */
const ASK_AGAIN_MS = 60_000;

/** The owner of a watch, in the place where it tells. */
export function seekerOf(watch: Watch): AccountSeeker {
  return { teamId: watch.teamId, userId: watch.owner.userId, channelId: placeOf(watch) };
}

/**
 * Puts the due notices of a place on alerts, if a watch still covers them and its owner may see them. Other notices wait or are
 * dropped. Rejects when the database doesn't answer.
 */
export async function notifyPlace(deps: WorkflowParts, due: Pick<Due, "teamId" | "key">): Promise<DueEnd> {
  const { store } = deps;
  const { teamId } = due;
  const place = due.key.slice(teamId.length + 1);
  const at = { teamId, place };
  const notices = await store.dueNotices(at);
  if (notices.length === 0) return "done";
  const all = await store.watchesOf({ teamId, ownerId: place, place });
  const watches = all.filter((watch) => watch.digest === undefined && placeOf(watch) === place);
  const mutes = (await store.mutesOf(teamId)).filter((mute) => placeOfMute(mute) === place);
  const sees = sightOf(deps, { endsLost: true });
  const [tell, wait, drop]: [Placing["tell"][number][], Placing["wait"][number][], string[]] = [[], [], []];
  const { stepAside } = createTurns();
  for (const notice of notices) {
    await stepAside();
    const wanted = await decide(deps, { notice, watches, mutes, sees });
    const decided = wanted.kind === "tell" ? await unlessOnCard(deps, { place, notice, wanted }) : wanted;
    if (decided.kind === "drop") drop.push(notice.id);
    else if (decided.kind === "wait") wait.push({ id: notice.id, until: decided.until, isMuted: decided.isMuted });
    else tell.push({ id: notice.id, ...groupOf(notice) });
  }
  await store.placeNotices({ ...at, tell, wait, drop });
  return "done";
}

type Decided =
  | { readonly kind: "tell" }
  | { readonly kind: "wait"; readonly until: Date; readonly isMuted: boolean }
  | { readonly kind: "drop" };

type Deciding = {
  readonly notice: Notice;
  readonly watches: readonly Watch[];
  readonly mutes: readonly Mute[];
  readonly sees: Sight;
};

async function decide({ clock, settings }: WorkflowParts, deciding: Deciding): Promise<Decided> {
  const { notice, watches, mutes, sees } = deciding;
  const { subject, wasMuted } = notice;
  const now = clock.now();
  const seeing: Watch[] = [];
  let isUnsure = false;
  for (const watch of watches.filter((each) => wants(each, subject) && covers(each, subject, settings.jobsRegion))) {
    const answer = await sees(watch, subject);
    if (answer === "unknown") isUnsure = true;
    if (answer === true) seeing.push(watch);
  }
  const [first] = seeing;
  if (first === undefined) {
    return isUnsure
      ? { kind: "wait", until: new Date(now.getTime() + ASK_AGAIN_MS), isMuted: false }
      : { kind: "drop" };
  }
  // One watch without quiet hours is enough to send it now.
  const quiet = seeing.every((watch) => watch.quiet && endOfQuiet(watch.quiet, now)) ? first.quiet : undefined;
  const mute = muteOf(mutes, subject.name);
  const telling =
    "cause" in subject
      ? tellingOf({ incident: subject, countsAt: notice.countsAt, quiet, mute, wasMuted, now })
      : eventTelling({ quiet, mute, now });
  if (telling.kind !== "wait") return telling;
  return { ...telling, isMuted: mute !== undefined && mute.until > now };
}

type Telling = { readonly place: string; readonly notice: Notice; readonly wanted: Decided };

/** Drops the notice of an incident that a card tells in this place, and waits for a card that may. */
async function unlessOnCard(
  { store, clock }: WorkflowParts,
  { place, notice: { subject, countsAt }, wanted }: Telling,
): Promise<Decided> {
  if (!("cause" in subject) || subject.name === undefined) return wanted;
  const changes = await store.changesAbout(subject, [subject.name]);
  const speaker = speakerOf({ incident: subject, place, changes, countsAt, now: clock.now() });
  if (speaker === "watch") return wanted;
  if (speaker === "card") return { kind: "drop" };
  // The round that found it also polls what is followed.
  return { kind: "wait", until: speaker.waitUntil, isMuted: false };
}

function wants(watch: Watch, subject: Incident | NoticedEvent): boolean {
  return "cause" in subject ? countsAt(watch, subject) !== undefined : watch.events.includes(subject.event);
}

type Timing = { readonly quiet: QuietHours | undefined; readonly mute: Mute | undefined; readonly now: Date };

function eventTelling({ quiet, mute, now }: Timing) {
  if (mute !== undefined && mute.until > now) return { kind: "drop" } as const; // a literal kind
  const until = quiet && endOfQuiet(quiet, now);
  return until === undefined ? ({ kind: "tell" } as const) : ({ kind: "wait", until } as const); // literal kinds
}

/** Notices with the same cause, and the same registry or node, share an alert. */
function groupOf({ subject }: Notice): Pick<Placing["tell"][number], "groupKey" | "joins"> {
  if (!("cause" in subject)) return { groupKey: "event", joins: "young" };
  const { cause, shared = "" } = subject;
  const common = shared === "" ? "" : createHash("sha256").update(shared).digest("hex").slice(0, 16);
  const joins = cause === "api-away" ? "open" : common === "" ? "storm" : "young";
  return { groupKey: `${cause} ${common}`.trim(), joins };
}
