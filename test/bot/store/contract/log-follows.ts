import { expect, test } from "vitest";
import type { NewLogFollow } from "../../../../src/bot/workflow/ports.ts";
import type { Bench } from "./bench.ts";

const limits = { perPerson: 2, perChannel: 3, perWorkspace: 4 };

function follow(id: string, other: Partial<NewLogFollow> = {}): NewLogFollow {
  return { id, teamId: "T1", channelId: "C1", requesterId: "U1", sealed: `sealed ${id}`, limits, ...other };
}

export function logFollowsContract({ replica, db }: Bench): void {
  test("a follow is worked on by one replica at a time, and when it rests, by whoever comes next", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const begun = await a.beginFollow(follow("F1"));
    const token = begun.kind === "begun" ? begun.token : "";
    const meanwhile = [await b.dueFollows(), await b.takeFollow("F1")];
    const isSaved = await a.saveFollow("F1", { token, sealed: "further", headTs: "1.2", restMs: 3_000 });
    const early = [await b.dueFollows(), await b.takeFollow("F1")];
    for (const each of [a, b]) each.later(4_000);

    const due = await b.dueFollows();
    const [first, second] = [await b.takeFollow("F1"), await a.takeFollow("F1")];

    expect([meanwhile, early]).toEqual([
      [[], undefined],
      [[], undefined],
    ]);
    expect([isSaved, due]).toEqual([true, [{ id: "F1", teamId: "T1" }]]);
    expect(first).toMatchObject({
      sealed: "further",
      headTs: "1.2",
      count: 1,
      channelId: "C1",
      requesterId: "U1",
    });
    expect(second).toBeUndefined();
  });

  test("a replica that died or paused loses its right, and stores nothing afterwards", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const begun = await a.beginFollow(follow("F1"));
    const token = begun.kind === "begun" ? begun.token : "";
    for (const each of [a, b]) each.later(31_000);

    const taken = await b.takeFollow("F1");
    const late = await a.saveFollow("F1", { token, sealed: "late" });
    await a.endFollow("F1", token);

    expect(taken?.sealed).toBe("sealed F1");
    expect(late).toBe(false);
    expect(await a.sealedFollow({ id: "F1", teamId: "T1" })).toBe("sealed F1");
    await b.endFollow("F1", taken?.token ?? "");
    expect(await a.sealedFollow({ id: "F1", teamId: "T1" })).toBeUndefined();
  });

  test("a stop is due at once, also when it comes while somebody works on it, and the first one counts", async () => {
    const a = await replica("a");
    const begun = await a.beginFollow(follow("F1"));
    const token = begun.kind === "begun" ? begun.token : "";

    expect(await a.stopFollow({ id: "F1", teamId: "T1" }, "Ann")).toBe(true);
    expect(await a.stopFollow({ id: "F1", teamId: "T1" }, "Bob")).toBe(true);
    expect(await a.stopFollow({ id: "F9", teamId: "T1" }, "Bob")).toBe(false);
    await a.saveFollow("F1", { token, restMs: 60_000 });
    a.later(1);

    expect(await a.takeFollow("F1")).toMatchObject({ stoppedBy: "Ann" });
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
