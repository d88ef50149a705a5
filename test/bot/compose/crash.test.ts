import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { openLocalSlack } from "../../../src/bot/compose/stand-ins/local-slack.ts";
import { inherited } from "../../support/gantry-process.ts";
import { until } from "../../support/until.ts";

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

const Fatal = z.looseObject({
  level: z.literal(60),
  reference: z.string().regex(/^[0-9a-f]{8}$/u),
  inProgress: z.array(z.string()),
  err: z.looseObject({ message: z.string() }),
});

type Running = {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly fatal: () => readonly z.infer<typeof Fatal>[];
};

/** Starts one of our programs, which throws when it receives SIGUSR2. */
function start(program: string, bug: string, env: Record<string, string>): Running {
  const dir = mkdtempSync(join(tmpdir(), "gantry-crash-"));
  // Its demo is of no use here.
  writeFileSync(join(dir, "demo-created"), "");
  const [file = "", ...words] = program.split(" ");
  const code = `process.on("SIGUSR2", () => setImmediate(() => { ${bug} }));`;
  const child = spawn(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(code)}`,
      fileURLToPath(new URL(file, import.meta.url)),
      ...words,
    ],
    {
      env: {
        ...inherited,
        GANTRY_DATA: dir,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  cleanUps.push(() => {
    child.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => (text += chunk));
  }
  const lines = () => text.split("\n").filter((line) => line.startsWith('{"level":60'));
  return { child, output: () => text, fatal: () => lines().map((line) => Fatal.parse(JSON.parse(line))) };
}

async function ended({ child }: Running): Promise<number | null> {
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}

test("an uncaught error is logged with a reference and the unfinished work, and Gantry shuts down in order", async () => {
  const running = start("../../../src/main.ts", "throw new Error('a bug of ours')", {
    PORT: "0",
    PLAYGROUND_PORT: "0",
  });
  await until(() => running.output().includes("Press Ctrl-C to stop."));
  const url = /PLAYGROUND_URL=(\S+) npm run say/u.exec(running.output())?.[1];
  // Its workload is followed for some seconds after it was changed.
  const said = await fetch(`${url}/playground/say`, {
    method: "POST",
    body: JSON.stringify({ text: "/gantry create service slow --image gantry/hello-web", quietMs: 50 }),
  });
  await said.text();

  running.child.kill("SIGUSR2");
  const code = await ended(running);

  expect(code).toBe(1);
  const [fatal, ...others] = running.fatal();
  expect(others).toEqual([]);
  expect(fatal?.err.message).toBe("a bug of ours");
  expect(fatal?.inProgress).toContainEqual(expect.stringMatching(/^change [0-9A-Z]{6}$/u));
  // An orderly shutdown released the folder's lock, so the next start can take it.
  expect(running.output()).not.toContain("did not stop cleanly");
});

test("an unhandled rejection also ends the bot when it runs alone", async () => {
  const slack = await openLocalSlack({ host: "127.0.0.1", port: 0, command: "/gantry", botPort: () => 0 });
  const running = start("../../../src/main.ts bot", "void Promise.reject(new Error('nobody waits'))", {
    PORT: "0",
    SLACK_BOT_TOKEN: slack.access.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.access.apiUrl,
    WORKLOAD_API_URL: "http://127.0.0.1:9/",
    WORKLOAD_API_USERNAME: "dana",
    WORKLOAD_API_TOKEN: "a-token-that-only-this-test-knows",
  });
  await until(() => running.output().includes("/slack/events"));

  running.child.kill("SIGUSR2");
  const code = await ended(running);
  await slack.close();

  expect(code).toBe(1);
  // Nobody's request is in progress.
  const inProgress = expect.toSatisfy((keys: readonly string[]) =>
    keys.every((key) => !/^(?:change|delivery) /u.test(key)),
  );
  expect(running.fatal()).toMatchObject([
    { err: { message: "nobody waits" }, origin: "unhandledRejection", inProgress },
  ]);
});

test("the workload API ends in the same way and logs its unanswered requests", async () => {
  const running = start("../../../src/bin/service.ts", "throw new Error('a bug of the service')", {
    SERVICE_PORT: "0",
  });
  await until(() => running.output().includes("Press Ctrl-C to stop"));

  running.child.kill("SIGUSR2");
  const code = await ended(running);

  expect(code).toBe(1);
  expect(running.fatal()).toMatchObject([{ err: { message: "a bug of the service" }, inProgress: [] }]);
});
