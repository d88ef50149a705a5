import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLocalSlack } from "../../../src/bot/compose/stand-ins/local-slack.ts";
import { notFullRun } from "../../support/full-run.ts";
import { startGantryProcess } from "../../support/gantry-process.ts";
import { openStallingApi } from "../../support/stalling-api.ts";

test("a process ends with what to do when somebody turns Socket Mode off for its app, and doesn't start again", async (context) => {
  context.skip(notFullRun !== undefined, notFullRun);
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-socket-"));
  const api = await openStallingApi(() => false);
  const slack = await openLocalSlack({
    host: "127.0.0.1",
    port: 0,
    command: "/gantry",
    transport: "socket",
    botPort: () => 0,
  });
  onTestFinished(async () => {
    await slack.close();
    await api.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const start = () => startGantryProcess({ dataDir, slack, apiUrl: api.url });

  const gantry = await start();
  expect((await slack.playground.as("dana").says("/gantry help")).acked).toBe(true);
  slack.playground.links.turnOff();

  expect(await gantry.exited).toBe(1);
  expect(gantry.output()).toContain("Socket Mode is turned off for the Slack app (link_disabled). Turn it on");
  await expect(start()).rejects.toThrow("Socket Mode is turned off for the Slack app (socket_mode_not_enabled).");
});
