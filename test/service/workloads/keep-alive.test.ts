import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const at = (path: string): string => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href);

test("a start that waits for nothing but the clock isn't the end of its process", async () => {
  const code = `
    import { machineClock } from ${at("platform/clock.ts")};
    import { keepAlive } from ${at("service/workloads/keep-alive.ts")};
    await keepAlive(machineClock.sleep(20));
    console.log("ready");`;

  // Rejects if the process ends with another code than 0.
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code]);

  expect(stdout).toBe("ready\n");
});
