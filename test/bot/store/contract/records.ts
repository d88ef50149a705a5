import { expect, test } from "vitest";
import type { HistoryEventKind } from "../../../../src/bot/changes/history-event.ts";
import type { Health, Who } from "../../../../src/bot/changes/stored-change.ts";
import type { Outcome } from "../../../../src/bot/changes/change.ts";
import type { NewChange } from "../../../../src/bot/workflow/stored.ts";
import { ann, approvedChange, atOnce, bob, type Bench, done, event, pendingChange } from "./bench.ts";

const linked = { teamId: "T1", username: "ann", sealedToken: "sealed-a", linkedBy: "U1" };
const mine = { kind: "user", userId: "U1" } as const; // literal kinds
const ofChannel = { kind: "channel", channelId: "C1" } as const; // literal kinds
const seeker = { teamId: "T1", userId: "U1", channelId: "C1" };

export function recordsContract({ replica, db }: Bench): void {
  test("history is read newest first, by name, by person, by time, and page after page", async () => {
    const a = await replica("a");
    const of = (name: string, who = ann) =>
      event("refused", { workload: { kind: "service", region: "us", name }, who });
    await a.addEvent(of("web"));
    await a.addEvent(of("db", bob));
    await a.addEvent({ ...of("web", bob), teamId: "T2" });
    a.later(60_000);
    await a.addEvent({ ...of("web", bob), verb: "restart" });
    const names = async (query: object) =>
      (await a.history({ teamId: "T1", limit: 10, ...query })).map(
        (each) => `${each.workload?.name} ${each.who?.name}`,
      );

    const first = await a.history({ teamId: "T1", limit: 1 });
    const next = await a.history({ teamId: "T1", limit: 5, before: first[0]?.seq ?? 0 });

    expect(await names({})).toEqual(["web Bob Ray", "db Bob Ray", "web Ann Lee"]);
    expect(await names({ workload: { name: "web", account: undefined } })).toEqual(["web Bob Ray", "web Ann Lee"]);
    expect(await names({ workload: { name: "we", account: undefined } })).toEqual([]);
    expect(await names({ userId: "U2" })).toEqual(["web Bob Ray", "db Bob Ray"]);
    expect(await names({ verbs: ["restart"] })).toEqual(["web Bob Ray"]);
    expect(await names({ verbs: ["restart", "scale"], workload: { name: "web", account: undefined } })).toEqual([
      "web Bob Ray",
      "web Ann Lee",
    ]);
    expect(await names({ verbs: ["stop"] })).toEqual([]);
    expect(await names({ since: new Date((first[0]?.at.getTime() ?? 0) - 30_000) })).toEqual(["web Bob Ray"]);
    expect(next.map(({ workload }) => workload?.name)).toEqual(["db", "web"]);
  });

  test("a page reaches past thousands of rows of others, and past those of other workspaces", async () => {
    const a = await replica("a");
    const rowOf = (user_id: string, at: number) => ({
      at: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
      kind: "voted" as const, // the literal
      team_id: at % 3 === 0 ? "T2" : "T1",
      user_id,
      break_glass: 0,
      result: "",
    });
    const rows = Array.from({ length: 4_000 }, (_, at) => rowOf(at < 4 ? "U2" : "U1", at));
    for (let at = 0; at < rows.length; at += 1_000) {
      await db()
        .insertInto("event")
        .values(rows.slice(at, at + 1_000))
        .execute();
    }
    const count = async (query: object) => (await a.history({ teamId: "T1", limit: 5_000, ...query })).length;
    const minutes = (at: number) => ({ since: new Date(Date.UTC(2026, 0, 1) + at * 60_000) });

    expect(await count({})).toBe(2_666);
    expect(await count({ limit: 1_500 })).toBe(1_500);
    expect(await count({ userId: "U2" })).toBe(2);
    expect(await count({ userId: "U2", show: "outcomes" })).toBe(0);
    expect(await count({ userId: "U2", show: "outcomes", ...minutes(4_000) })).toBe(0);
    expect(await count(minutes(1_000))).toBe(2_000);
    expect(await count(minutes(3_998))).toBe(1);
    expect(await count(minutes(4_000))).toBe(0);
    const numbers = (await a.history({ teamId: "T1", limit: 5_000 })).map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
  });

  test("a list of outcomes has one row for each request, with the request as it is now", async () => {
    const a = await replica("a");
    const rowOf = (kind: HistoryEventKind, changeId: string, who?: Who) => event(kind, { changeId, who });
    await a.addChange(pendingChange("WAITS"), event("requested"));
    await a.addChange(approvedChange("RAN"), event("requested"));
    await a.claim("RAN", rowOf("claimed", "RAN"));
    await a.settle("RAN", done, rowOf("done", "RAN"));
    await a.addEvent(rowOf("voted", "WAITS", bob));
    await a.addEvent(event("vote-refused"));
    await a.addEvent(event("refused", { who: bob }));
    const shown = async (query: object) =>
      (await a.history({ teamId: "T1", limit: 10, ...query })).map(
        ({ kind, changeId, request }) => `${kind} ${changeId ?? "-"} ${request?.state ?? "-"}`,
      );

    expect(await shown({ show: "outcomes" })).toEqual(["refused - -", "done RAN done", "requested WAITS pending"]);
    expect(await shown({ show: "ended" })).toEqual(["done RAN done"]);
    expect(await shown({ show: "outcomes", userId: "U2" })).toEqual(["refused - -", "requested WAITS pending"]);
    expect(await shown({ show: "outcomes", limit: 1, before: 7 })).toEqual(["done RAN done"]);
    const [steps] = await a.history({ teamId: "T1", limit: 1 });
    expect(steps).not.toHaveProperty("request");
  });

  test("a change is overtaken by another request that changed how the same workload runs", async () => {
    const a = await replica("a");
    const { workload, account } = approvedChange("AAA111");
    const of = (kind: HistoryEventKind, other: object = {}) =>
      event(kind, { changeId: "LATER1", verb: "scale", workload, account: account.username, ...other });
    await a.addChange(approvedChange("AAA111"), event("requested", { changeId: "AAA111" }));
    await a.addEvent(of("done", { changeId: "BEFORE" }));
    a.later(1_000);
    await a.carry("AAA111", "claim", {}, event("claimed"));
    const settled = await a.carry("AAA111", "succeed", { outcome: done }, event("done"));
    const change = settled.kind === "moved" ? settled.change : undefined;
    if (change === undefined) throw new Error("it isn't done");
    const others = [
      of("done", { verb: "domains" }),
      of("done", { verb: "delete" }),
      of("failed"),
      of("done", { workload: { ...workload, region: "elsewhere" } }),
      of("done", { account: "another" }),
      of("done", { teamId: "T2" }),
    ];
    for (const each of others) await a.addEvent(each);

    expect(await a.changedSince(change)).toBeUndefined();
    await a.addEvent(of("done"));
    expect(await a.changedSince(change)).toEqual({ how: "scaled", by: { id: "LATER1", verb: "scale" } });
    expect(await a.changedSince({ ...change, id: "LATER1/2" })).toBeUndefined();
    await a.addEvent(of("done", { verb: "restart", changeId: "LATER2" }));
    expect(await a.changedSince(change)).toEqual({ how: "otherwise", by: { id: "LATER2", verb: "restart" } });
    expect(await a.changedSince({ ...change, id: "LATER1" })).toMatchObject({ how: "restarted" });
    await a.addEvent(of("done", { verb: "deploy", changeId: "LATER3" }));
    await a.addEvent(of("done", { verb: "scale", changeId: "LATER4" }));
    expect(await a.changedSince(change)).toEqual({ how: "otherwise", by: { id: "LATER3", verb: "deploy" } });
  });

  test("a deletion marks the earlier requests of its workload, and no others", async () => {
    const a = await replica("a");
    const about = (other: object = {}, username = "acme"): Partial<NewChange> => ({
      workload: { kind: "service", region: "us", name: "web", uid: "u", ...other },
      account: { owner: { kind: "workspace" }, username },
    });
    const carriedOut = async (
      id: string,
      change: Partial<NewChange>,
      { progress, outcome = done }: { progress?: Health; outcome?: Outcome } = {},
    ) => {
      await a.addChange(approvedChange(id, change), event("requested"));
      await a.carry(id, "claim", {}, event("claimed"));
      await a.carry(id, "succeed", { outcome, progress }, event("done"));
    };
    const failed = async (id: string, change: Partial<NewChange>) => {
      await a.addChange(approvedChange(id, change), event("requested"));
      await a.refuse(id, { kind: "failed", why: "No.", next: "" }, event("failed"));
    };
    const progress: Health = { kind: "reached", line: "3 of 3 running", excerpt: [] };
    await carriedOut("SCALED", about(), { progress });
    await carriedOut("REGION", about({ region: "eu" }), { progress });
    await carriedOut("KIND", about({ kind: "job" }), { progress });
    await carriedOut("ACCOUNT", about({}, "another"), { progress });
    await carriedOut("FOLLOWED", about(), { progress: { ...progress, kind: "watching" } });
    await carriedOut("HIDDEN", about(), { progress: { ...progress, kind: "not-yet" } });
    await failed("FAILED", about());
    await failed("NOT-CREATED", { ...about(), op: "createService" });
    await a.addChange(approvedChange("WAITS", about()), event("requested"));

    const gone = async (): Promise<readonly string[]> => {
      const marked: string[] = [];
      for (const { id } of await db().selectFrom("change").select("id").execute()) {
        const { health, progress: seen } = (await a.findChange(id)) ?? {};
        if ((health ?? seen)?.gone === "deleted") marked.push(id);
      }
      return marked.toSorted();
    };

    // Accepted, it may still fail.
    const outcome: Outcome = { kind: "asked", after: undefined, why: "It is still there." };
    await carriedOut("ASKED", { ...about(), op: "deleteService" }, { outcome });
    expect(await gone()).toEqual([]);
    await carriedOut("DELETED", { ...about(), op: "deleteService" }, { progress });
    expect(await gone()).toEqual(["FAILED", "SCALED"]);
    await carriedOut("AGAIN", { ...about(), op: "deleteService" });
    expect(await gone()).toEqual(["FAILED", "SCALED"]);
  });

  test("an event comes back as it was, also one of the bot's own, and after more than a month", async () => {
    const a = await replica("a");
    const own = event("expired", {
      who: undefined,
      channelId: undefined,
      verb: undefined,
      workload: undefined,
      account: undefined,
      rule: undefined,
    });
    const full = event("done", { changeId: "AAA111", breakGlass: true, elapsedMs: 3_000_000_000.4, reference: "R-1" });

    await a.addEvent(own);
    await a.addEvent(full);

    expect(await a.history({ teamId: "T1", limit: 5 })).toEqual([
      { ...full, elapsedMs: 3_000_000_000, seq: 2, at: expect.any(Date) },
      { ...own, seq: 1, at: expect.any(Date) },
    ]);
  });

  test("history and settled Changes go when they are as old as configured, and nothing else does", async () => {
    const a = await replica("a", { keepHistoryMs: 30 * 86_400_000 });
    await a.addChange(approvedChange("OLD"), event("requested"));
    await a.claim("OLD", event("claimed"));
    await a.settle("OLD", done, event("done"));
    await a.addChange(pendingChange("OPEN"), event("requested"));
    a.later(29 * 86_400_000);
    await a.prune();
    const kept = await a.history({ teamId: "T1", limit: 10 });
    await a.addEvent(event("refused"));

    a.later(2 * 86_400_000);
    await a.prune();

    expect(kept).toHaveLength(4);
    expect(await a.history({ teamId: "T1", limit: 10 })).toMatchObject([{ kind: "refused", seq: 5 }]);
    expect(await a.findChange("OLD")).toBeUndefined();
    expect(await a.findChange("OPEN")).toMatchObject({ state: "pending" });
  });

  test("without a limit history stays for ever", async () => {
    const a = await replica("a");
    await a.addEvent(event("refused"));

    a.later(3_650 * 86_400_000);
    await a.prune();

    expect(await a.history({ teamId: "T1", limit: 10 })).toHaveLength(1);
  });

  test("a person's and a channel's account are found for whom they are, replaced, and forgotten", async () => {
    const a = await replica("a");
    await a.saveAccount({ ...linked, owner: mine }, event("connected"));
    await a.saveAccount({ ...linked, owner: ofChannel, username: "team" }, event("connected"));
    await a.saveAccount({ ...linked, owner: mine, sealedToken: "sealed-b" }, event("connected"));

    const both = await a.impliedFor(seeker);
    const removed = await a.removeAccount("T1", mine, event("disconnected"));
    const again = await a.removeAccount("T1", mine, event("disconnected"));

    expect(both.own).toEqual({ ...linked, owner: mine, sealedToken: "sealed-b", linkedAt: expect.any(Date) });
    expect(both.channel).toMatchObject({ owner: ofChannel, username: "team" });
    expect([removed, again]).toEqual([true, false]);
    expect(await a.impliedFor(seeker)).toMatchObject({ own: undefined, channel: { username: "team" } });
    expect(await a.impliedFor({ ...seeker, teamId: "T2" })).toEqual({ own: undefined, channel: undefined });
    const kinds = (await a.history({ teamId: "T1", limit: 10 })).map(({ kind }) => kind);
    expect(kinds).toEqual(["disconnected", "connected", "connected", "connected"]);
  });

  test("a token is sealed anew only in the row that was read", async () => {
    const a = await replica("a");
    await a.saveAccount({ ...linked, owner: mine }, event("connected"));
    const { own: read } = await a.impliedFor(seeker);
    if (read === undefined) throw new Error("no account was linked");

    await a.resealAccount(read, "sealed-with-another-key");
    const resealed = await a.impliedFor(seeker);
    await a.saveAccount({ ...linked, owner: mine, sealedToken: "linked-anew" }, event("connected"));
    await a.resealAccount(read, "too-late");

    expect(resealed.own).toEqual({ ...read, sealedToken: "sealed-with-another-key" });
    expect((await a.impliedFor(seeker)).own?.sealedToken).toBe("linked-anew");
  });

  test("calls are counted over all replicas, by account and day, and forgotten after a week", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const today = new Date().toISOString().slice(0, 10);

    await atOnce(20, [a, b], (store) => store.countCalls({ teamId: "T1", day: today }, new Map([["acme", 2]])));
    await a.countCalls({ teamId: "T1", day: today }, new Map([["ann", 1]]));
    const counted = [
      await b.callsOn({ teamId: "T1", username: "acme", day: today }),
      await b.callsOn({ teamId: "T1", username: "acme", day: "2001-01-01" }),
      await b.callsOn({ teamId: "T1", username: "bob", day: today }),
      await b.callsOn({ teamId: "T2", username: "acme", day: today }),
    ];
    a.later(9 * 86_400_000);
    await a.prune();

    expect(counted).toEqual([40, 0, 0, 0]);
    expect(await b.callsOn({ teamId: "T1", username: "acme", day: today })).toBe(0);
  });

  test("a store that can't renew its lease has trouble, though the database takes writes", async () => {
    const a = await replica("a");
    a.later(60_000);
    const over = await a.trouble();
    await a.beat();

    expect(over?.why).toBe("it has stored no heartbeat for too long");
    expect(await a.trouble()).toBeUndefined();
  });

  test("a store that was closed says so, and can be closed again", async () => {
    const a = await replica("a");
    const before = [a.isOpen(), await a.trouble()];

    await a.close();
    await a.close();

    expect(before).toEqual([true, undefined]);
    expect(a.isOpen()).toBe(false);
    expect((await a.trouble())?.message).toContain("is stopping and has closed its database");
    await expect(a.findChange("AAA111")).rejects.toThrow(/is stopping and has closed its database/u);
  });
}
