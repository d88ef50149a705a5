import { expect, test } from "vitest";
import type { Health, StoredChange } from "../../../src/bot/changes/stored-change.ts";
import type { Incident } from "../../../src/bot/watch/incident.ts";
import { type ChangeAbout, speakerOf } from "../../../src/bot/watch/due.ts";
import { waiting } from "../commands/support/stored.ts";

const start = Date.parse("2026-11-26T10:00:00Z");
const at = (minutes: number): Date => new Date(start + minutes * 60_000);

const incident: Incident = {
  id: "i1",
  teamId: "T1",
  account: "acme",
  region: "us",
  kind: "service",
  name: "web",
  cause: "crash-loop",
  shared: undefined,
  openedAt: at(1),
  overAt: undefined,
  end: undefined,
  times: 1,
  seen: undefined,
  unseenSince: undefined,
  overUnseenSince: undefined,
  restartsBefore: undefined,
  changedBefore: undefined,
};

const health = (kind: Health["kind"], other: Partial<Health> = {}): Health => ({
  kind,
  line: "",
  excerpt: [],
  ...other,
});
const trouble = health("trouble", { afterMs: 60_000 });
const recovered = health("reached", { recovered: true });

/** A deploy from #ops, at minute 0; in trouble, and followed. */
const deploy: StoredChange = {
  ...waiting,
  state: "done",
  requester: { userId: "U1", name: "Dana" },
  workload: { kind: "service", region: "us", name: "web", uid: undefined },
  card: { channelId: "COPS", ts: "1.1" },
  claimedAt: at(0),
  settledAt: at(0),
  progress: trouble,
};
const ofUid = (uid: string): Pick<Incident, "seen"> => ({
  seen: {
    kind: "service",
    name: "web",
    uid,
    level: "failing",
    words: "keeps crashing",
    facts: undefined,
    reason: undefined,
    cause: "crash-loop",
    shared: undefined,
    restarts: undefined,
    ready: undefined,
    size: undefined,
    images: undefined,
    revision: undefined,
  },
});

type Case = {
  readonly change?: Partial<StoredChange>;
  readonly isDrawn?: boolean;
  readonly incident?: Partial<Incident>;
  readonly place?: string;
  /** When the watch may tell, and for how many minutes it has been. */
  readonly countsAt?: number;
  readonly waited?: number;
};

function speaks({ change, isDrawn = true, countsAt = 3, waited = 0, place = "COPS", ...other }: Case) {
  const changes: ChangeAbout[] = change === undefined ? [] : [{ change: { ...deploy, ...change }, isDrawn }];
  const asked = { incident: { ...incident, ...other.incident }, place, changes };
  const speaker = speakerOf({ ...asked, countsAt: at(countsAt), now: at(countsAt + waited) });
  if (typeof speaker === "string") return speaker;
  return "waits";
}

const created = (uid: string): Partial<StoredChange> => {
  const after = { status: "Running", uid };
  return { ending: { kind: "run", outcome: { kind: "done", after, alsoMoved: [] } } };
};
const asksForNews: Partial<StoredChange> = { notifies: true, card: undefined };
const directly: Partial<StoredChange> = { card: { channelId: "D9", ts: "1.1" } };
const ended = { progress: undefined, health: trouble };
const job: Partial<Incident> = { kind: "job", cause: "job-failed" };
const isWell: Partial<Incident> = { overAt: at(5), end: "recovered" };

test.each<[string, "card" | "watch" | "waits", Case]>([
  ["nobody asked for anything", "watch", {}],
  ["its card tells it", "card", { change: {} }],
  ["its card is in another channel", "watch", { change: {}, place: "COTHER" }],
  ["its card was never posted", "watch", { change: { card: undefined } }],
  ["its card is in the direct message of its requester", "card", { change: directly, place: "U1" }],
  ["its card is in the direct message of somebody else", "watch", { change: directly, place: "U2" }],
  ["its requester asked for a direct message", "card", { change: asksForNews, place: "U1" }],
  ["the direct message is somebody else's", "watch", { change: asksForNews, place: "U2" }],
  ["it failed before it was asked for", "watch", { change: { claimedAt: at(2) } }],
  ["it came back, as its card tells", "card", { change: {}, incident: { times: 2 } }],
  ["it came back, and its card is followed no more", "watch", { change: ended, incident: { times: 2 } }],
  [
    "another one of this name fails",
    "watch",
    { change: { workload: { ...deploy.workload, uid: "u1" } }, incident: ofUid("u2") },
  ],
  ["the very one fails", "card", { change: { workload: { ...deploy.workload, uid: "u1" } }, incident: ofUid("u1") }],
  ["another one than was created fails", "watch", { change: created("u1"), incident: ofUid("u2") }],
  ["the API reports no uid", "card", { change: {}, incident: ofUid("u1") }],
  ["Slack hasn't taken the card", "waits", { change: {}, isDrawn: false }],
  ["Slack doesn't take the card for two minutes", "watch", { change: {}, isDrawn: false, waited: 2.1 }],
  ["its card is to see it", "waits", { change: { progress: health("reached") } }],
  ["its card was not polled yet", "waits", { change: { progress: undefined } }],
  ["its card doesn't see it for two minutes", "watch", { change: { progress: health("reached") }, waited: 2.1 }],
  [
    "its card is followed no more, and was well",
    "watch",
    { change: { progress: undefined, health: health("reached") } },
  ],
  ["its card is followed no more, in trouble", "card", { change: ended, waited: 20 }],
  ["it fails again after that", "watch", { change: ended, incident: { openedAt: at(4) }, countsAt: 6 }],
  ["its card told that it is over", "card", { change: { progress: recovered }, incident: isWell }],
  ["its card is to see that it is over", "waits", { change: {}, incident: isWell, waited: 3 }],
  ["its card doesn't see that for two minutes", "watch", { change: {}, incident: isWell, waited: 4.1 }],
  ["its card is red for good, and it is well", "watch", { change: ended, incident: isWell }],
  ["it was deleted after its card told", "card", { change: ended, incident: { overAt: at(5), end: "deleted" } }],
  ["a job failed, as its card tells", "card", { change: { ...ended, health: health("trouble") }, incident: job }],
  ["a job failed, and its card is to see it", "waits", { change: { progress: undefined }, incident: job }],
  [
    "a job can't pull its image, for which its card waits",
    "watch",
    { change: { progress: health("watching") }, incident: { kind: "job", cause: "image" } },
  ],
])("%s: %s", (_story, speaker, asked) => {
  expect(speaks(asked)).toBe(speaker);
});

test("one card of two is enough", () => {
  const elsewhere = { change: { ...deploy, card: { channelId: "COTHER", ts: "1.2" } }, isDrawn: true };
  const here = { change: deploy, isDrawn: true };
  const asked = { incident, place: "COPS", countsAt: at(3), now: at(3) };

  expect(speakerOf({ ...asked, changes: [elsewhere, here] })).toBe("card");
  expect(speakerOf({ ...asked, changes: [elsewhere] })).toBe("watch");
});
