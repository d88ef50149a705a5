import { expect, test } from "vitest";
import { answerShapes } from "../../../../src/api/answers.ts";
import { jobStatus } from "../../../../src/api/workload-status.ts";
import { makeClusterWorld } from "../../support/cluster-world.ts";

test("a job that can't be started says why until it is, and never looks like one that runs", async () => {
  let isBroken = true;
  const world = makeClusterWorld({
    runtime: ({ start }) => ({
      async start(spec, note) {
        if (isBroken) throw new Error("no such image");
        return await start(spec, note);
      },
    }),
  });
  const { engine, close } = await world.open();
  const dana = world.userOf({ engine });
  await dana.createJob("nightly", { containers: [{ image: "test/lasting" }] });

  const waiting = await world.until(async () => {
    const job = await dana.readJob("nightly");
    return job.message === undefined ? undefined : job;
  }, "why it isn't started");
  isBroken = false;
  const running = await world.until(async () => {
    const job = await dana.readJob("nightly");
    return job.message === undefined ? job : undefined;
  }, "the job to run");
  await close();

  expect(waiting).toMatchObject({ message: "couldn't be started: no such image", restart_count: 0 });
  expect(jobStatus(answerShapes.getJob.parse(waiting))).toMatchObject({ level: "failing", cause: "image" });
  expect(jobStatus(answerShapes.getJob.parse(running))).toMatchObject({ level: "healthy", words: "running" });
});
