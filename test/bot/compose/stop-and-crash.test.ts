import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openLocalSlack, type LocalSlack } from "../../../src/bot/compose/stand-ins/local-slack.ts";
import { isUp } from "../../support/is-up.ts";
import { startGantryProcess, type GantryProcess } from "../../support/gantry-process.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { openStallingApi, type StallingApi } from "../../support/stalling-api.ts";
import { testClock } from "../../support/test-clock.ts";
import { until } from "../../support/until.ts";

type Town = {
  readonly slack: LocalSlack;
  readonly api: StallingApi;
  readonly dataDir: string;
  readonly start: () => Promise<GantryProcess>;
  readonly told: () => readonly string[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

// The tests mostly wait for time limits, so they run side by side.

/** A Slack and a stalling service in this process, and the real bot in processes of its own. */
async function town(stalls: (request: string) => boolean): Promise<Town> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-stop-"));
  const api = await openStallingApi(stalls);
  const policyPath = join(dataDir, "policy.yaml");
  writeFileSync(policyPath, openPolicy);
  let botPort = 0;
  const slack = await openLocalSlack({
    host: "127.0.0.1",
    port: 0,
    command: "/gantry",
    botPort: () => botPort,
    // Now, for the bots, but with patience for their acks.
    clock: testClock(new Date()),
  });
  const started: GantryProcess[] = [];
  return {
    slack,
    api,
    dataDir,
    async start() {
      const gantry = await startGantryProcess({
        dataDir,
        slack,
        apiUrl: api.url,
        env: { GANTRY_POLICY: policyPath },
      });
      started.push(gantry);
      botPort = gantry.port;
      return gantry;
    },
    told: () =>
      slack.playground
        .as("dana")
        .sees("ops")
        .map(({ text }) => text),
    async [Symbol.asyncDispose]() {
      for (const gantry of started) gantry.kill("SIGKILL");
      await Promise.all(started.map(({ exited }) => exited));
      await slack.close();
      await api.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

// At the same time: most of it is waiting for a service that stalls.
test.concurrent("after SIGTERM with a stalled service, each accepted command's person is told before the process ends", async () => {
  await using here = await town((request) => !request.startsWith("GET") || request.endsWith("/jobs"));
  const gantry = await here.start();
  const dana = here.slack.playground.as("dana");
  const acks = await Promise.all(["list jobs", "restart service/web"].map((text) => dana.says(`/gantry ${text}`)));
  await until(() => here.api.requests().some((request) => request.startsWith("PUT")));

  gantry.kill("SIGTERM");
  await until(async () => !(await isUp(`http://127.0.0.1:${gantry.port}/readyz`)));
  const late = await dana.says("/gantry list services");
  const code = await gantry.exited;

  expect(code).toBe(0);
  expect(acks.every(({ acked }) => acked)).toBe(true);
  expect(late.acked).toBe(true);
  const told = here.told().join("\n");
  expect(told).toContain("I'm restarting");
  expect(told).toMatch(/didn't answer in|stopped before I could answer/u);
  expect(told).toMatch(/Can't tell whether web was restarted/u);
  expect(here.api.requests().filter((request) => request.startsWith("PUT"))).toHaveLength(1);
});

test.concurrent("after kill -9, the next start reads back what was sent, goes on with what was not, and sends nothing again", async () => {
  await using here = await town((request) => !request.startsWith("GET") || request.endsWith("/services/slow"));
  const first = await here.start();
  const dana = here.slack.playground.as("dana");
  await dana.says("/gantry restart service/web");
  await until(() => here.api.requests().some((request) => request.startsWith("PUT")));
  // Last, so that even on a busy machine the first process has no time to tell that the API stalls.
  await dana.says("/gantry stop service/slow");

  first.kill("SIGKILL");
  await first.exited;
  const requestsBefore = here.api.requests().length;
  const second = await here.start();
  await until(() => /Can't tell whether web was restarted/u.test(here.told().join("\n")));
  await until(() => /didn't answer in/u.test(here.told().join("\n")));

  // Beside the sign that the second one is being worked on.
  expect(here.told().filter((text) => !text.startsWith("⏳ Working on it"))).toEqual([
    expect.stringMatching(/Can't tell whether web was restarted|didn't answer in/u),
    expect.stringMatching(/Can't tell whether web was restarted|didn't answer in/u),
  ]);
  const since = here.api.requests().slice(requestsBefore);
  expect(since.length).toBeGreaterThan(0);
  expect(since.filter((request) => !request.startsWith("GET"))).toEqual([]);

  second.kill("SIGTERM");
  expect(await second.exited).toBe(0);
  expect(left(here.dataDir)).toEqual([]);
});

/** What somebody would still have to carry on. */
function left(dataDir: string): readonly unknown[] {
  const database = new DatabaseSync(join(dataDir, "gantry.sqlite"), { readOnly: true });
  const changes = database.prepare("select id, state from change where settled_at is null").all();
  const messages = database.prepare("select key from due where kind in ('post', 'requester')").all();
  const deliveries = database.prepare("select key from due where kind = 'delivery'").all();
  database.close();
  return [...changes, ...messages, ...deliveries];
}
