import { expect, test } from "vitest";
import { boundTo } from "../../../../src/bot/accounts/resolve.ts";
import { newKey, readKeyring, createSealer } from "../../../../src/bot/accounts/seal.ts";
import type { ReplicaReport } from "../../../../src/bot/health/facts.ts";
import { type Bench, event, pendingChange, deliveryOf } from "./bench.ts";

const report: ReplicaReport = {
  version: "1.0.0",
  host: "host-a",
  startedAt: "2026-11-22T10:00:00.000Z",
  at: "2026-11-22T10:05:00.000Z",
  transport: { kind: "http", links: [] },
  missing: [],
  arrived: {},
  refused: { count: 0 },
  lanes: {},
  errors: [],
  policy: { source: "policy.yaml", rules: 2 },
};

export function inspectionContract({ replica, db }: Bench): void {
  test("a replica's report is read by others while it lives, and a heartbeat without one keeps it", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.beat(report);
    await a.beat();
    const seen = await b.inspect();

    expect(seen.replicas).toEqual([
      { id: "a", report },
      { id: "b", report: undefined },
    ]);
    expect(seen.database).toMatchObject({ kind: "open", version: expect.stringMatching(/^\d+\.\d+/u) });
    expect(seen.database.schema.at).toBe(seen.database.schema.known);
    for (const each of [a, b]) each.later(1_000);
    await a.beat();
    b.later(60_000);
    // Of the two, the one that lived longer.
    expect(await b.inspect()).toMatchObject({
      replicas: [],
      lastHeartbeat: { overAt: expect.any(String), host: report.host },
    });
    await b.beat();
    expect((await b.inspect()).replicas.map(({ id }) => id)).toEqual(["b"]);
  });

  test("samples of what is sealed open with the key that sealed them, and with nothing else", async () => {
    const sealer = createSealer(readKeyring(newKey()));
    const a = await replica("a", { sealer });
    const owner = { kind: "user", userId: "U1" } as const; // a literal kind
    const account = { teamId: "T1", owner, username: "ann" };
    const sealedToken = sealer.seal("token", boundTo(account));
    await a.saveAccount({ ...account, sealedToken, linkedBy: "U1" }, event("connected"));
    await a.addChange(pendingChange("AAA111", { sealed: sealer.seal("{}", ["change", "AAA111"]) }), event("requested"));
    await a.accept(deliveryOf("d1"));

    const { sealed } = await a.inspect();

    expect(sealed.map(({ what, count }) => `${count} ${what}`).toSorted()).toEqual([
      "1 account tokens",
      "1 audit chains",
      "1 stored requests",
      "1 work that is due",
      "4 texts of requests and history",
    ]);
    for (const each of sealed) expect(() => sealer.open(each.sealed, each.bind)).not.toThrow();
  });
  test("of many sealed values a look reads the newest ones, and says so", async () => {
    const a = await replica("a");
    const [before, now] = [createSealer(readKeyring(newKey())), createSealer(readKeyring(newKey()))];
    const incidentOf = (number: number) => ({
      id: `i${number}`,
      team_id: "T1",
      account: "acme",
      region: "us",
      kind: "service" as const, // a literal kind
      cause: "failing" as const, // a literal cause
      opened_at: number === 0 ? "2025" : "2026",
      times: 1,
      state: (number === 0 ? before : now).seal("{}", ["words", `incident i${number}`]),
    });
    const incidents = Array.from({ length: 501 }, (_, number) => incidentOf(number));
    await db().insertInto("incident").values(incidents).execute();
    const notice = { team_id: "T1", place: "C1", id: "n1", ripe_at: "2026", due_at: "2026", was_muted: 0 };
    const told = now.seal("{}", ["words", "notice n1"]);
    await db()
      .insertInto("notice")
      .values({ ...notice, event: told })
      .execute();

    const [keyId] = now.keyIds;
    expect((await a.inspect()).sealed).toMatchObject([
      { what: "news of watched workloads", keyId, count: 501, isNewestOnly: true },
    ]);
  });
}
