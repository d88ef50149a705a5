import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { openLocalService } from "../../../../src/bot/compose/stand-ins/local-service.ts";
import { machineClock } from "../../../../src/platform/clock.ts";
import { processEngine } from "../../../../src/service/engines/process/descriptor.ts";

test("a workload of a removed region is reported once: by the start, and not in the log as well", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-local-service-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const logged: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => void logged.push(line) });
  const open = (regions: readonly string[]) => {
    const engine = processEngine.choose({}, { set: regions, byDefault: [] });
    return openLocalService({ config: { kind: "embedded", engine }, dataDir, log, clock: machineClock });
  };
  const first = await open(["us", "moon1"]);
  const { username, token } = first.account;
  await first.fetch(
    new Request(`${first.baseUrl}/v1/regions/moon1/services/far`, {
      method: "POST",
      headers: { username, Authorization: `token ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ target_instance_size: 0, containers: [{ image: "gantry/worker" }] }),
    }),
  );
  await first.close();

  const second = await open(["us"]);
  await second.close();

  expect(second.notices).toEqual([expect.stringMatching(/^1 workload was not started, .*: service far /u)]);
  expect(logged.join("")).not.toContain("not started");
});
