import { describe, expect, test } from "vitest";
import type { OpenLogs } from "../open-logs.ts";

const source = { workload: "w", source: "pod-uid/app" };

/** A line of the container that was written as the `number`th one. */
function line(number: number, text = `line ${number}`) {
  const cursor = String(number).padStart(6, "0");
  return { ...source, instance: "web-0", at: new Date("2026-11-20T12:00:00Z"), text, cursor };
}

/** How lines that can be read again are stored, on any database. */
export function collected(open: OpenLogs): void {
  describe("lines that are read from a cluster", () => {
    test("are stored once, however often they are read", async () => {
      const { logs, read } = await open();
      for (const number of [1, 2, 3, 2, 3, 4]) logs.collect(line(number));
      await read("2026-11-20");
      for (const number of [3, 4, 5]) logs.collect(line(number));

      expect(await read("2026-11-20")).toEqual(["line 1", "line 2", "line 3", "line 4", "line 5"]);
    });

    test("are in a store with an id, which all servers that share it get, however often it is asked for", async () => {
      const { logs, another } = await open();
      const other = another();

      const ids = await Promise.all([logs.storeId(), other.storeId(), logs.storeId()]);
      // What an engine removes at its start are logs of workloads.
      await logs.keepOnly([], "us/team/");

      expect(new Set([...ids, await another().storeId()])).toEqual(new Set([ids[0]]));
      expect(ids[0]).toMatch(/^(?:sqlite|postgres)-[\da-f-]{36}$/u);
    });

    test("are stored once when two servers read them, and reading goes on after the last one", async () => {
      const { logs, another, read } = await open();
      const other = another();
      for (const number of [1, 2, 3]) logs.collect(line(number));
      await read("2026-11-20");
      for (const number of [1, 2, 3, 4]) other.collect(line(number));
      const position = await other.collected(source);
      // As a server that was paused would, with what it had read before.
      for (const number of [3, 4]) logs.collect(line(number));

      expect(position).toBe("000004");
      expect(await read("2026-11-20")).toEqual(["line 1", "line 2", "line 3", "line 4"]);
    });

    test("have positions that are found together, of one workload", async () => {
      const { logs } = await open();
      logs.collect(line(1));
      await logs.mark({ workload: "w", source: "pod-uid/app/read" }, "0");
      await logs.mark({ workload: "other", source: "pod-uid/app/read" }, "1");

      expect(Object.fromEntries(await logs.collectedOf("w"))).toEqual({
        "pod-uid/app": "000001",
        "pod-uid/app/read": "0",
      });
    });

    test("belong to the day on which they were written, and other containers have their own position", async () => {
      const { logs, read } = await open();
      logs.collect({ ...line(2), at: new Date("2026-11-19T23:59:59Z") });
      logs.collect({ ...line(1, "of the sidecar"), source: "pod-uid/sidecar" });

      expect(await read("2026-11-19")).toEqual(["line 2"]);
      expect(await read("2026-11-20")).toEqual(["of the sidecar"]);
    });

    test("may hold what a database can't store as text", async () => {
      const { logs, read } = await open();
      logs.collect(line(1, "NUL \0, half a pair \uD83D and 🟢"));

      expect(await read("2026-11-20")).toEqual(["NUL \uFFFD, half a pair \uFFFD and 🟢"]);
    });

    test("of hundreds of containers come in one batch", async () => {
      const { logs, read } = await open();
      for (let pod = 0; pod < 450; pod += 1) logs.collect({ ...line(1, `pod ${pod}`), source: `${pod}/app` });
      await read("2026-11-20");
      for (let pod = 0; pod < 450; pod += 1) logs.collect({ ...line(1, `again ${pod}`), source: `${pod}/app` });

      const lines = await read("2026-11-20", 0, 1_000);

      expect(lines).toEqual(Array.from({ length: 450 }, (_, pod) => `pod ${pod}`));
    });

    test("of a source that is gone leave no cursor behind", async () => {
      const { logs, db } = await open();
      logs.collect(line(1));
      await logs.collected(source);

      await logs.endSource(source);

      expect(await db.selectFrom("cursors").selectAll().execute()).toEqual([]);
    });

    test("are removed with their workload, and only in the namespace that was asked for", async () => {
      const { logs } = await open();
      const page = (workload: string) => logs.page({ workload, day: "2026-11-20", from: 0, size: 10 });
      for (const workload of ["us/a/kept", "us/a/gone", "us/b/other"]) logs.collect({ ...line(1), workload });
      await page("us/a/kept");

      await logs.keepOnly(["us/a/kept"], "us/a/");

      expect(await Promise.all(["us/a/kept", "us/a/gone", "us/b/other"].map(page))).toMatchObject([
        [{ line: "line 1" }],
        [],
        [{ line: "line 1" }],
      ]);
      expect(await logs.collected({ ...source, workload: "us/a/gone" })).toBeUndefined();
    });

    test("keep only as many days as configured, the newest ones", async () => {
      const { logs, read } = await open({ days: 2 });
      for (const [at, day] of ["2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20"].entries()) {
        logs.collect({ ...line(at + 1, day), at: new Date(`${day}T10:00:00Z`) });
        await read(day);
      }

      expect([await read("2026-11-17"), await read("2026-11-18")]).toEqual([[], []]);
      expect([await read("2026-11-19"), await read("2026-11-20")]).toEqual([["2026-11-19"], ["2026-11-20"]]);
    });
  });
}
