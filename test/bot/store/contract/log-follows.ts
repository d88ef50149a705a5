import { expect, test } from "vitest";
import type { NewLogFollow } from "../../../../src/bot/workflow/stored.ts";
import type { Due } from "../../../../src/bot/workflow/due-kinds.ts";
import { type Bench, type Replica, takeOne } from "./bench.ts";

const limits = { perPerson: 2, perChannel: 3, perWorkspace: 4 };

function follow(id: string, other: Partial<NewLogFollow> = {}): NewLogFollow {
  return {
    id,
    teamId: "T1",
    channelId: "C1",
    requesterId: "U1",
    sealed: `sealed ${id}`,
    limits,
    leaseMs: 30_000,
    ...other,
  };
}

export function logFollowsContract({ replica, db }: Bench): void {
  /** One that replica a begins. */
  async function begun(store: Replica): Promise<Due> {
    const follows = await store.beginFollow(follow("F1"));
    if (follows.kind === "full") throw new Error("there are too many");
    return follows.due;
  }

  test("a follow is begun by the replica that was asked, and goes on with whoever takes the next look", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const due = await begun(a);
    const meanwhile = await takeOne(b, "follow");
    const isSaved = await a.saveFollow(due, { sealed: "further", headTs: "1.2", nextMs: 3_000 });
    const early = await takeOne(b, "follow");
    for (const each of [a, b]) each.later(4_000);

    const next = await takeOne(b, "follow");

    expect([meanwhile, isSaved, early]).toEqual([undefined, true, undefined]);
    expect(next && (await b.followOf(next))).toMatchObject({
      sealed: "further",
      headTs: "1.2",
      count: 1,
      channelId: "C1",
      requesterId: "U1",
    });
  });

  test("a replica that died or paused loses its lease, and stores nothing afterwards", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const lost = await begun(a);
    for (const each of [a, b]) each.later(31_000);

    const taken = await takeOne(b, "follow");
    const late = await a.saveFollow(lost, { sealed: "late", headTs: undefined, nextMs: 1 });
    await a.endFollow(lost, {});

    expect(late).toBe(false);
    expect(await a.sealedFollow({ id: "F1", teamId: "T1" })).toBe("sealed F1");
    await b.endFollow(taken ?? lost, {});
    expect(await a.sealedFollow({ id: "F1", teamId: "T1" })).toBeUndefined();
    expect(await db().selectFrom("due").selectAll().execute()).toEqual([]);
  });

  test("a stop is due at once, also when it comes while somebody works on it, and the first one counts", async () => {
    const a = await replica("a");
    const due = await begun(a);

    expect(await a.stopFollow({ id: "F1", teamId: "T1" }, "Ann")).toBe(true);
    expect(await a.stopFollow({ id: "F1", teamId: "T1" }, "Bob")).toBe(true);
    expect(await a.stopFollow({ id: "F9", teamId: "T1" }, "Bob")).toBe(false);
    await a.saveFollow(due, { sealed: "further", headTs: undefined, nextMs: 60_000 });
    a.later(1);
    const next = await takeOne(a, "follow");

    expect(next && (await a.followOf(next))).toMatchObject({ stoppedBy: "Ann" });
  });

  test("there are few for each person, channel and workspace, and those of others don't count", async () => {
    const a = await replica("a");
    const kinds: string[] = [];
    for (const [id, other] of Object.entries<Partial<NewLogFollow>>({
      F1: {},
      F2: {},
      F3: {},
      F4: { requesterId: "U2" },
      F5: { requesterId: "U3" },
      F6: { requesterId: "U3", channelId: "C2" },
      F7: { requesterId: "U4", channelId: "C3" },
      F8: { teamId: "T2" },
    })) {
      const begun = await a.beginFollow(follow(id, other));
      kinds.push(begun.kind === "full" ? begun.by : begun.kind);
    }

    expect(kinds).toEqual(["begun", "begun", "person", "begun", "channel", "begun", "workspace", "begun"]);
  });

  test("it moves with its channel, and goes with its workspace", async () => {
    const a = await replica("a");
    await a.beginFollow(follow("F1"));
    await a.beginFollow(follow("F2", { teamId: "T2" }));

    await a.moveChannel({ teamId: "T1", from: "C1", to: "C9", token: undefined });
    const moved = await db().selectFrom("follow").select(["id", "channel_id"]).orderBy("id").execute();
    await a.closeWorkspace({ teamId: "T1", by: { userId: "U1", name: "Ann" } });

    expect(moved).toEqual([
      { id: "F1", channel_id: "C9" },
      { id: "F2", channel_id: "C1" },
    ]);
    expect(await a.sealedFollow({ id: "F1", teamId: "T1" })).toBeUndefined();
    expect(await a.sealedFollow({ id: "F2", teamId: "T2" })).toBe("sealed F2");
  });
}
