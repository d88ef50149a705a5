import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeDataDir } from "./support/data-dir.ts";

const run = promisify(execFile);

test("without file descriptors the engine keeps running, accepts nothing halfway, and starts waiting workloads later", async () => {
  const script = new URL("./support/starved-script.ts", import.meta.url).pathname;
  const limited = `ulimit -n 256 && exec "$0" "$@"`;

  const { stdout } = await run("sh", ["-c", limited, process.execPath, script, makeDataDir()]);

  expect(JSON.parse(stdout)).toEqual({
    ports: "503 The workload API has no file descriptors left. Nothing was changed. Try again in a moment.",
    created: "taken",
    job: "taken",
    failed: true,
    said: expect.stringMatching(/^\[gantry\] instance starved-0 couldn't be started: .*EMFILE.*, restarting in/),
    status: "Failed",
    reason: expect.stringMatching(/^Its ports can't be opened \(.*EMFILE.*\). Retrying.$/),
  });
});
