import { expect, onTestFinished, test } from "vitest";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import { migrate } from "../../../../src/service/workloads/state/data-folder.ts";
import { stateMigrations } from "../../../../src/service/workloads/state/migrations.ts";
import {
  insertJob,
  type Job,
  namedAsHere,
  saveProgress,
  type StateTables,
  storedJobs,
} from "../../../../src/service/workloads/state/store.ts";

const at = "2026-11-20T10:00:00.000Z";
const unknown = {
  endedAt: undefined,
  outcome: undefined,
  lastExit: undefined,
  lastState: undefined,
  reason: undefined,
};
const fresh: Omit<Job, "version"> = {
  uid: "uid-report",
  username: "dana",
  name: "report",
  createdAt: at,
  instance: "report-1",
  startedAt: undefined,
  failures: 0,
  ...unknown,
  hasRecords: true,
  definition: {
    containers: [{ name: "report", image: "test/lines", pullAlways: false, ports: [], mounts: [] }],
    volumes: [],
    syncTimezone: false,
  },
};

test("what a job doesn't say of itself any more isn't read back", async () => {
  const file = openSqlite<StateTables>(":memory:");
  onTestFinished(() => file.destroy());
  await migrate(file, "state.sqlite", stateMigrations);
  const db = file.withPlugin(namedAsHere);
  const version = await insertJob(db, fresh);
  const lastState = { reason: "Error", exit_code: 3, finished_at: at };
  const failed: Job = {
    ...fresh,
    version,
    startedAt: at,
    endedAt: at,
    outcome: "failed",
    failures: 1,
    lastExit: "exit code 3",
    lastState,
    reason: "its image is gone",
  };
  await saveProgress(db, failed);
  expect(await storedJobs(db)).toEqual([{ job: { ...failed, version: version + 1 } }]);

  await saveProgress(db, { ...failed, ...unknown });

  expect(await storedJobs(db)).toEqual([{ job: { ...failed, ...unknown, version: version + 2 } }]);
});
