import { expect, test } from "vitest";
import { boundTo } from "../../../../src/bot/accounts/resolve.ts";
import { newKey, readKeyring, createSealer } from "../../../../src/bot/accounts/seal.ts";
import type { ReplicaReport } from "../../../../src/bot/health/facts.ts";
import { type Bench, event, pendingChange } from "./bench.ts";

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

export function inspectionContract({ replica }: Bench): void {
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
    b.later(60_000);
    expect(await b.inspect()).toMatchObject({ replicas: [], lastHeartbeat: { overAt: expect.any(String) } });
    await b.beat();
    expect((await b.inspect()).replicas.map(({ id }) => id)).toEqual(["b"]);
  });

  test("samples of what is sealed open with the key that sealed them, and with nothing else", async () => {
    const a = await replica("a");
    const sealer = createSealer(readKeyring(newKey()));
    const owner = { kind: "user", userId: "U1" } as const; // a literal kind
    const account = { teamId: "T1", owner, username: "ann" };
    const sealedToken = sealer.seal("token", boundTo(account));
    await a.saveAccount({ ...account, sealedToken, linkedBy: "U1" }, event("connected"));
    await a.addChange(pendingChange("AAA111", { sealed: sealer.seal("{}", ["change", "AAA111"]) }), event("requested"));
    await a.accept({ id: "d1", sealed: sealer.seal("{}", ["delivery", "d1"]) });

    const { sealed } = await a.inspect();

    expect(sealed.map(({ what, count }) => `${count} ${what}`).toSorted()).toEqual([
      "1 account tokens",
      "1 stored requests",
      "1 unfinished deliveries",
    ]);
    for (const each of sealed) expect(() => sealer.open(each.sealed, each.bind)).not.toThrow();
  });
}
