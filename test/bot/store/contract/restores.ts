import { sql } from "kysely";
import { expect, test } from "vitest";
import { markStatements } from "../../../../src/bot/store/database/restored.ts";
import type { NewWatch, RoundResult } from "../../../../src/bot/workflow/stored.ts";
import {
  approvedChange,
  ann,
  atOnce,
  type Bench,
  event,
  pendingChange,
  type Replica,
  storyOf,
  takeOne,
  placesDue,
} from "./bench.ts";

const limits = { perOwner: 9, perPlace: 9 };
const list = { teamId: "T1", account: "acme", region: "us", kind: "service" } as const; // a literal kind
const watch: NewWatch = {
  id: "w1",
  teamId: "T1",
  owner: ann,
  source: "person",
  account: { owner: { kind: "workspace" }, username: "acme" },
  target: { kind: "service", names: "*", region: "us" },
  place: { kind: "channel", channelId: "C1" },
  events: ["failing"],
  afterMs: 0,
  quiet: undefined,
  digest: undefined,
};
const digest = { days: "daily", at: "09:00", zone: "UTC" } as const; // literal days
const opened = new Date("2026-11-26T10:00:00Z");

function found(names: readonly string[]): RoundResult {
  const rest = { shared: undefined, end: undefined, overAt: undefined, seen: undefined, unseenSince: undefined };
  const more = { overUnseenSince: undefined, restartsBefore: undefined, changedBefore: undefined };
  const at = { countsAt: opened, dueAt: opened };
  return {
    isRead: true,
    everyMs: 10_000,
    changed: [],
    gone: [],
    incidents: names.map((id) => ({
      ...list,
      id,
      name: id,
      cause: "failing",
      openedAt: opened,
      times: 1,
      ...rest,
      ...more,
    })),
    notices: names.map((id) => ({ place: "C1", id, event: undefined, isOld: false, ...at })),
  };
}

export function restoresContract({ replica, db }: Bench): void {
  const restored = async (): Promise<void> => {
    for (const statement of markStatements(new Date("2026-11-26T12:00:00Z"))) await sql.raw(statement).execute(db());
  };
  const tell = (id: string) => ({ id, groupKey: id, joins: "young" as const });
  /** An incident whose card is posted, one whose card isn't, and one that waits for its message. */
  const failing = async (a: Replica): Promise<void> => {
    await a.addWatch(watch, limits, event("watched"));
    await a.syncRounds("us");
    const due = await takeOne(a, "round");
    const round = due && (await a.roundOf(due));
    if (round === undefined) throw new Error("no list is watched");
    await a.endRound(round, found(["posted", "due", "waits"]));
    const place = { teamId: "T1", place: "C1", wait: [], drop: [] };
    await a.placeNotices({ ...place, tell: [tell("posted")] });
    const post = await takeOne(a, "post");
    if (post === undefined) throw new Error("no message is due");
    await a.savePost(post, { card: { channelId: "C1", ts: "1.1" }, posts: 1 });
    await a.endDue(post);
    a.later(31_000);
    await a.placeNotices({ ...place, tell: [tell("due")] });
  };

  test("a card that is posted ends, what isn't told is forgotten, and a look finds anew what is wrong", async () => {
    const a = await replica("a");
    await failing(a);
    await restored();

    const b = await replica("b");

    b.later(60_000);
    const due = await takeOne(b, "post");
    const post = due && (await b.postOf(due));
    expect(post).toMatchObject({ card: { channelId: "C1", ts: "1.1" } });
    expect(await b.alertOf({ id: post?.key ?? "", teamId: "T1" })).toMatchObject({
      incidents: [{ id: "posted", end: "restored", overAt: expect.any(Date) }],
    });
    expect(await takeOne(b, "post")).toBeUndefined();
    expect(await placesDue(b)).toEqual([]);
    await b.syncRounds("us");
    const round = await takeOne(b, "round");
    expect(round && (await b.roundOf(round))).toMatchObject({ polledAt: undefined });
    expect((await b.incidentsOf(list, 60 * 60_000)).map(({ id }) => id)).toEqual(["posted"]);
  });

  test("news and announcements that were due aren't told, a digest begins anew, and a followed log ends", async () => {
    const a = await replica("a");
    await a.addWatch({ ...watch, id: "w2", digest }, limits, event("watched"));
    const first = await takeOne(a, "digest");
    if (first === undefined) throw new Error("no digest is due");
    await a.delayDue(first, { at: new Date("2026-11-26T09:00:00Z"), payload: "an old day" });
    const announcement = { id: "p1", channelId: "C1", payload: "{}" };
    await a.addWatch(watch, limits, { ...event("watched"), announcement });
    await a.loseWatch({ id: "w1", teamId: "T1" }, { why: "they left", event: event("unwatched") });
    const follow = { id: "f1", teamId: "T1", channelId: "C1", requesterId: "U1", sealed: "", leaseMs: 30_000 };
    const most = { perPerson: 9, perChannel: 9, perWorkspace: 9 };
    const begun = await a.beginFollow({ ...follow, limits: most });
    if (begun.kind === "begun") await a.saveFollow(begun.due, { sealed: "", headTs: "1.1", nextMs: 1 });
    // Nobody was shown anything of this one.
    await a.beginFollow({ ...follow, id: "f2", limits: most });
    await restored();

    const b = await replica("b");

    b.later(1_000);
    expect(await takeOne(b, "post")).toBeUndefined();
    expect(await db().selectFrom("post").select("kind").execute()).toEqual([]);
    expect(await takeOne(b, "watch news")).toBeUndefined();
    expect(await takeOne(b, "digest")).toMatchObject({ key: "w2", payload: undefined, attempts: 1 });
    const due = await takeOne(b, "follow");
    expect(due && (await b.followOf(due))).toMatchObject({ id: "f1", stoppedBy: "a restore from a backup" });
    expect(await db().selectFrom("follow").select("id").execute()).toEqual([{ id: "f1" }]);
    expect((await b.allWatches()).map(({ id }) => id)).toEqual(["w2"]);
  });

  test("of two replicas that start over it, one closes what was open, and nothing that the other one began", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("WAITS1"), event("requested"));
    await a.addChange(approvedChange("READY1"), event("requested"));
    await restored();

    const opened = await atOnce(2, [a], (_store, at) => replica(`b${at}`));

    for (const id of ["WAITS1", "READY1"]) expect(await storyOf(a, id)).toEqual(["requested", "unknown"]);
    await opened[0]?.addChange(pendingChange("NEW001"), event("requested"));
    await replica("c");
    expect(await a.findChange("NEW001")).toMatchObject({ state: "pending" });
  });
}
