import { expect, test } from "vitest";
import { drawn } from "../../views/support/drawn.ts";
import { report } from "../../views/support/workloads.ts";
import { prefilled } from "../support/form-of.ts";
import { answerTo, proposalTo } from "../support/script.ts";

const why = "CronJob nightly allows one run at a time, and nightly-1 is in progress. Wait until it ends, or delete it.";
const nightly = {
  ...report,
  metadata: { name: "nightly" },
  schedule: { cron: "0 2 * * *", suspended: false, last_job: "nightly-1", last_result: "running" },
};
const busy = { jobs: [{ ...nightly, refused_operations: [{ operation: "createJob", reason: why }] }] };

test("a CronJob that allows one run at a time isn't run beside another: nobody is asked, and the card has no button", async () => {
  expect(await proposalTo("run nightly", busy)).toMatchObject({ kind: "impossible", why });
  expect((await prefilled("run", { name: "job/nightly" }, busy)).notes).toContain(`🚫 ${why}`);
  expect(drawn(await answerTo("show nightly", busy))).not.toContain("[Run now]");
});

test("one that allows several says that its newest run is in progress, and runs", async () => {
  expect(await proposalTo("run nightly", { jobs: [nightly] })).toMatchObject({
    kind: "proposed",
    change: { diff: ["runs CronJob nightly now", "its newest run hasn't ended yet"] },
  });
  expect(drawn(await answerTo("show nightly", { jobs: [nightly] }))).toContain("[Run now]");
});
