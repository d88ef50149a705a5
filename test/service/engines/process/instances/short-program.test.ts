import { expect, test, vi } from "vitest";
import { withoutTime } from "../support/engine-world.ts";
import { sql } from "kysely";
import { machineClock } from "../../../../../src/platform/clock.ts";
import { makeCatalogue } from "../../../../../src/service/engines/process/catalogue.ts";
import { makeProcessRuntime } from "../../../../../src/service/engines/process/process-engine.ts";
import { type ProcessTables, seeProcesses } from "../../../../../src/service/engines/process/records/processes.ts";
import { stateMigrations } from "../../../../../src/service/workloads/state/migrations.ts";
import { openSqlite } from "../../../../../src/platform/database/sqlite.ts";
import { makeDataDir } from "../support/data-dir.ts";

test("the output of a program that ended before its log was read isn't lost", async () => {
  const state = openSqlite<ProcessTables>(":memory:");
  for (const statement of stateMigrations.flat()) {
    if (typeof statement === "string" && statement.includes("processes")) await sql.raw(statement).execute(state);
  }
  const runtime = makeProcessRuntime({
    dataDir: makeDataDir(),
    catalogue: makeCatalogue(false),
    graceMs: 1_000,
    memoryPollMs: 1_000,
    connections: 1,
    state,
    clock: machineClock,
    onEvent: () => undefined,
  });
  const definition = { name: "c", image: "gantry/batch", command: ["1"], pullAlways: false, ports: [], mounts: [] };
  const labels = { workload: "u1", instance: "hello-0", container: 0, generation: 0 };
  const unit = await runtime.start(
    { ...labels, username: "dana", region: "us", definition, volumes: [], ports: [], syncTimezone: false },
    () => undefined,
  );
  const { token } = await state.selectFrom("processes").select("token").executeTakeFirstOrThrow();
  const isGone = async () => expect((await seeProcesses()).map((each) => each.token)).not.toContain(token);
  await vi.waitFor(isGone, { timeout: 60_000 });

  const lines: string[] = [];
  unit.readLog({ after: undefined, signal: new AbortController().signal, write: ({ text }) => void lines.push(text) });

  expect(await unit.exited).toEqual({ code: 0 });
  expect(lines.map(withoutTime)).toEqual(["step 1 of 1", "done, exit 0"]);
});
