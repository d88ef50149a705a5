import { describe, expect, test } from "vitest";
import { readRecord, recordPath, writeRecord } from "../../../src/service/workloads/jobs/run-record.ts";
import { makeClusterWorld, unitsOf } from "../support/cluster-world.ts";
import type { MemoryUnit } from "../support/memory-runtime.ts";

const web = { containers: [{ image: "test/web" }], target_instance_size: 2 };
const lasting = { containers: [{ image: "test/lasting" }] };
/** Later than the starts of these tests, and long before the next morning. */
const NIGHT = "2026-12-02T23:59:10.000Z";
const untilMorning = ({ clock }: World) => clock.passMs(19 * 60 * 60_000);

type World = ReturnType<typeof makeClusterWorld>;

/** A server leaves a running service and a running job. */
async function leave(world: World): Promise<{ webs: MemoryUnit[]; job: MemoryUnit }> {
  const { cluster, open } = world;
  const { engine, close } = await open();
  const dana = world.userOf({ engine });
  await dana.create("web", web);
  await dana.reaches("web", "Running");
  await dana.createJob("batch", lasting);
  await world.until(() => cluster.running().length === 3, "the job to run");
  await close({ keepWorkloads: true });
  const [job, ...others] = cluster.running().toReversed();
  if (!job) throw new Error("the job runs");
  return { webs: others.toReversed(), job };
}

describe("what ended while no server was there", () => {
  test("a job has ended when it did, not when that was noticed", async () => {
    const world = makeClusterWorld();
    const { job } = await leave(world);
    job.end(0, NIGHT);
    await untilMorning(world);

    const { engine, close } = await world.open();
    await world.userOf({ engine }).ends("batch");

    expect((await world.userOf({ engine }).readJob("batch")).status).toMatchObject({
      completionTime: NIGHT,
      succeeded: 1,
    });
    expect(world.cluster.started).toHaveLength(3);
    await close();
  });

  test("a failed attempt and a crash are told with their time", async () => {
    const world = makeClusterWorld();
    const { job, webs } = await leave(world);
    job.end(2, NIGHT);
    webs[0]?.end(1, NIGHT);
    await untilMorning(world);

    const { engine, close } = await world.open();
    const dana = world.userOf({ engine });
    await world.until(() => world.cluster.running().length === 3, "both to run again");

    expect((await dana.readJob("batch")).last_state).toEqual({ reason: "Error", exit_code: 2, finished_at: NIGHT });
    expect((await dana.read("web")).last_state).toEqual({ reason: "Error", exit_code: 1, finished_at: NIGHT });
    const late = "at 2026-12-02 23:59:10 UTC";
    expect(await dana.jobLogs("batch")).toContain(`[gantry] attempt 1 exited with code 2 ${late}, retrying in 1 s`);
    expect((await dana.logs("web")).map(({ log }) => log)).toContain(
      `[gantry] instance web-0 exited with code 1 ${late}, restarting in 1 s`,
    );
    await close();
  });

  test("an attempt that an earlier server had recorded already isn't counted again", async () => {
    const world = makeClusterWorld();
    const { job } = await leave(world);
    const { workload, container } = job.spec;
    job.end(2);
    const path = recordPath(world.dataDir, workload, container);
    await writeRecord(path, { state: "ended", attempt: 1, code: 2, at: NIGHT });

    const { engine, close } = await world.open();
    await world.until(() => world.cluster.running().length === 3 && job.isDiscarded(), "the next attempt");

    expect((await world.userOf({ engine }).readJob("batch")).status).toMatchObject({ active: 1, failed: 1 });
    await close();
  });

  test("a job that the earlier server was stopping runs again, and that isn't a failure", async () => {
    const world = makeClusterWorld();
    const { job } = await leave(world);
    job.end(143);
    const path = recordPath(world.dataDir, job.spec.workload, job.spec.container);
    await writeRecord(path, { state: "interrupted", attempt: 1 });

    const { engine, close } = await world.open();
    await world.until(() => world.cluster.running().length === 3 && job.isDiscarded(), "another start");

    const { status } = await world.userOf({ engine }).readJob("batch");
    expect(status).toMatchObject({ active: 1 });
    expect(status).not.toHaveProperty("failed");
    await close();
  });

  test("a job of a user who isn't configured any more has completed, and doesn't run again when they are", async () => {
    const world = makeClusterWorld();
    const { job } = await leave(world);
    job.end(0, NIGHT);
    await untilMorning(world);
    const withoutDana = await world.open({ users: ["kim"] });
    await world.until(() => job.isDiscarded(), "its removal");
    await withoutDana.close();
    expect(await readRecord(recordPath(world.dataDir, job.spec.workload, 0))).toMatchObject({
      state: "ended",
      code: 0,
    });

    const { engine, close } = await world.open();
    await world.userOf({ engine }).ends("batch");

    expect((await world.userOf({ engine }).readJob("batch")).status).toMatchObject({
      completionTime: NIGHT,
      succeeded: 1,
    });
    await close();
  });

  test("an instance beyond the size is removed: it is neither started again nor called a crash", async () => {
    const world = makeClusterWorld();
    const { webs } = await leave(world);
    const [one] = webs;
    if (one) await world.cluster.runtime.start({ ...one.spec, instance: "web-2" }, () => undefined);
    const extra = world.cluster.started.at(-1);
    extra?.end(143);

    const { engine, close } = await world.open();
    await world.userOf({ engine }).reaches("web", "Running");
    await world.until(() => extra?.isDiscarded(), "its removal");

    expect(unitsOf(world.cluster).filter((unit) => unit.startsWith("web-2"))).toEqual([]);
    expect((await world.userOf({ engine }).logs("web")).filter(({ log }) => log.includes("exited"))).toEqual([]);
    expect(await world.userOf({ engine }).read("web")).toMatchObject({ restart_count: 0 });
    await close();
  });
});
