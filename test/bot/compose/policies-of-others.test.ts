import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { startGantry } from "../../../src/bot/compose/gantry.ts";
import { machineClock } from "../../../src/platform/clock.ts";
import { freePort } from "../../support/free-port.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { openTowns, type Town } from "../../support/two-workspaces.ts";
import { until } from "../../support/until.ts";
import { newest } from "../../support/world.ts";

test("an admin of one workspace learns nothing about the broken policy file of another", async () => {
  const dir = mkdtempSync(join(tmpdir(), "gantry-policies-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const towns = await openTowns({ botUrl: () => url, command: "/gantry", clock: machineClock, transport: "http" });
  onTestFinished(towns.close);
  const { playground, harbour, slack } = towns;
  const ofHarbour = join(dir, `${harbour.teamId}.yaml`);
  for (const file of [join(dir, "default.yaml"), ofHarbour]) writeFileSync(file, openPolicy);
  const { client, signingSecret } = slack;
  const logged: string[] = [];
  const gantry = await startGantry(
    readConfig({
      SLACK_CLIENT_ID: client.clientId,
      SLACK_CLIENT_SECRET: client.clientSecret,
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_API_URL: slack.access.apiUrl,
      GANTRY_URL: url,
      GANTRY_POLICY: dir,
      GANTRY_DATA: join(dir, "data"),
      PORT: String(port),
      WORKLOAD_API_URL: "http://127.0.0.1:1",
    }),
    pino({}, { write: (line: string) => void logged.push(line) }),
  );
  onTestFinished(gantry.stop);
  const statusIn = async (town: Town): Promise<string> => {
    await towns.install(town);
    towns.invite(town);
    await town.approver.says("/gantry status", { channel: "ops" });
    await until(() => newest(town.approver).includes("Check again"));
    return newest(town.approver);
  };

  writeFileSync(ofHarbour, openPolicy.replace("rules:", "rulez:"));
  await until(() => logged.some((line) => line.includes("the changed policy has problems")));

  expect(await statusIn(playground)).not.toContain(harbour.teamId);
  expect(await statusIn(harbour)).toContain(`${harbour.teamId}.yaml, line `);
});
