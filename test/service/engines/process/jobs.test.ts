import { afterAll, describe, expect, test } from "vitest";
import { makeDataDir } from "./support/data-dir.ts";
import { openEngine, userOf } from "./support/engine-world.ts";

const { engine, close } = await openEngine(makeDataDir(), { allowHostCommands: true });
afterAll(() => close());
const dana = userOf(engine);

function batch(...command: string[]) {
  return { containers: [{ image: "gantry/batch:1", command: [...command, "--delay", "1"] }] };
}

describe("a job", () => {
  test("is tried again when it fails, in the same instance", async () => {
    await dana.createJob("retried", batch("1", "--fail-first", "2"));
    await dana.ends("retried");

    const { status } = await dana.readJob("retried");

    expect(status).toMatchObject({ succeeded: 1, failed: 2 });
    // How long it waits depends on how long the attempt ran: a slow machine makes one look recovered.
    const told = (await dana.jobLogs("retried")).filter((line) => line.startsWith("[gantry] attempt 2"));
    expect(told).toEqual([expect.stringMatching(/^\[gantry\] attempt 2 exited with code 1, retrying in \d+ ms$/u)]);
  });

  test("has failed after six retries", async () => {
    await dana.createJob("hopeless", batch("0", "--exit", "4"));
    await dana.ends("hopeless");

    const { status } = await dana.readJob("hopeless");

    expect(status).toMatchObject({
      conditions: [
        {
          type: "Failed",
          status: "True",
          reason: "BackoffLimitExceeded",
          message: "exit code 4 after 7 attempts",
        },
      ],
      failed: 7,
    });
    expect(status).not.toHaveProperty("completionTime");
    expect(status).not.toHaveProperty("active");
    expect((await dana.jobLogs("hopeless")).at(-1)).toContain("attempt 7 exited with code 4: the job failed");
  });

  test("with several containers is complete when all have exited with 0", async () => {
    const [container] = batch("1").containers;
    const [slow] = batch("30").containers;
    await dana.createJob("pair", { containers: [container, slow].filter((one) => one !== undefined) });
    await dana.ends("pair");

    const lines = await dana.jobLogs("pair");

    expect(lines).toContain("step 30 of 30");
    expect(lines.filter((line) => line === "done, exit 0").length).toBe(2);
    expect((await dana.readJob("pair")).spec?.template?.spec?.containers?.map(({ name }) => name)).toEqual([
      "pair",
      "pair-2",
    ]);
  });
});
