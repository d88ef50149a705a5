import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { defaultPolicyText } from "../../src/bot/policy/read-policy.ts";
import { notFullRun } from "../support/full-run.ts";
import { startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { blocks, commandsAt, root } from "./support/blocks.ts";
import { openShell } from "./support/shell.ts";

// People copy commands out of the documentation: each of them works, or its page says that no test runs it.

/** Run in this file. */
const here = [
  "README.md#try-it",
  "docs/api.md#the-workload-api",
  "docs/audit.md#export-it",
  "docs/backup.md#postgresql",
  "docs/backup.md#sqlite",
  "docs/existing-api.md#try-the-connection",
  "docs/policy-cookbook.md#policy-cookbook",
  "docs/policy.md#ask-the-policy",
  "docs/workspaces.md#try-it-without-slack",
];

const inContainer = ["test/image/image.test.ts", "test/image/compose.test.ts", "test/image/docker-engine.test.ts"];
const asksAndWrites = ["test/bot/compose/setup/setup.test.ts"];
/** Run by other tests, which need more than Node, or are tests themselves. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  "README.md#connect-it": asksAndWrites,
  "README.md#in-a-container": inContainer,
  "README.md#with-real-containers": ["test/bin/docker-start.test.ts", "test/engines/docker/flows/readme.test.ts"],
  "docs/deployment.md#try-it-in-a-container": inContainer,
  "docs/deployment.md#with-real-slack": inContainer,
  "docs/deployment.md#with-postgresql": inContainer,
  "docs/deployment.md#the-workload-api-alone": inContainer,
  "docs/deployment.md#containers-beside-it": inContainer,
  "docs/deployment.md#upgrade": ["test/image/upgrade.test.ts"],
  "docs/deployment.md#deploy-with-helm": ["test/chart/install.test.ts"],
  "docs/deployment.md#policy-in-a-configmap": ["test/chart/install.test.ts"],
  "docs/deployment.md#remove-it": ["test/chart/install.test.ts"],
  "docs/deployment.md#without-helm": ["test/chart/install.test.ts"],
  "docs/docker.md#real-containers-in-one-command": ["test/bin/docker-start.test.ts"],
  "docs/kill-tests.md#kill-tests": ["test/kill/kill.ts"],
  "docs/kill-tests.md#the-soak": ["test/soak/soak.ts"],
  "docs/slack.md#connect-gantry-to-slack": asksAndWrites,
  "docs/slack.md#without-a-terminal": asksAndWrites,
  "docs/slack.md#in-a-container": ["test/image/image.test.ts"],
};

test("every command is run by a test, or its page says that it isn't", () => {
  const unmarked = new Set(blocks.filter(({ isMarked }) => !isMarked).map(({ at }) => at));

  expect([...unmarked].toSorted()).toEqual([...here, ...Object.keys(elsewhere)].toSorted());
});

test("the tests of other files take their commands from the page of deployment, and exist", () => {
  const missing = Object.entries(elsewhere).filter(([at, tests]) => {
    if (!tests.every((path) => existsSync(join(root, path)))) return true;
    const heading = blocks.find((block) => block.at === at)?.heading ?? "";
    const isTaken = tests.some((path) =>
      readFileSync(join(root, path), "utf8").includes(`commandsUnder("${heading}")`),
    );
    return at.startsWith("docs/deployment.md") && !isTaken;
  });

  expect(missing).toEqual([]);
});

test("the README's container is the one of the page of deployment, whose commands are run", () => {
  const typed = commandsAt("README.md#in-a-container");

  expect(commandsAt("docs/deployment.md#try-it-in-a-container").slice(0, typed.length)).toEqual(typed);
});

// The name of a skipped suite says why it was skipped.
const because = (missing: string | undefined): string => (missing === undefined ? "" : ` (${missing})`);

// Each command starts npm, a shell and Gantry: together they take more than a minute.
describe.skipIf(notFullRun !== undefined)(`typed in a clone${because(notFullRun)}`, () => {
  test("from the README's first command to a restored backup and an export of the audit", async () => {
    await using shell = await openShell();
    const [start = "", ...typed] = commandsAt("README.md#try-it");
    const stop = await shell.begin(start);
    const said: string[] = [];
    for (const command of typed) said.push(await shell.run(command));
    const [list, ask, approval, scaled, undone, , logs] = said;

    // In the first second after the start it isn't ready yet.
    expect(list).toMatch(/web · (?:running|starting)/u);
    expect(ask).toMatch(/Restart web\?[^]*Needs 1 approval/u);
    expect(approval).toMatch(/Alex Kim|Restarting web|web restarted/u);
    expect(scaled).toMatch(/2 → 3/u);
    expect(undone).toMatch(/3 → 2/u);
    expect(logs).toContain("step 1 of 5");

    const [backup = "", restore = "", ...rest] = commandsAt("docs/backup.md#sqlite");
    expect(rest).toEqual([]);
    expect(await shell.run(backup)).toMatch(/^Wrote /mu);
    await expect(shell.run(restore)).rejects.toThrow(/A Gantry runs with .* Nothing was changed/u);
    await stop();
    expect(await shell.run(`${restore} --force`)).toMatch(/\.before-/u);

    // The page's dates are in the past: the events are of today.
    const [take = ""] = commandsAt("docs/audit.md#export-it");
    await shell.run(take.replace(/--from.*/u, ""));
    const lines = readFileSync(join(shell.folder, "november.ndjson"), "utf8").trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(
      expect.arrayContaining(["gantry-audit", "event", "end"]),
    );
  });

  test("Gantry on a workload API that runs apart, and that API by itself", async () => {
    await using shell = await openShell();
    const [service = "", start = "", ...typed] = commandsAt("docs/existing-api.md#try-the-connection");
    await shell.begin(service);
    await shell.begin(start);
    const [created, list] = [await shell.run(typed[0] ?? ""), await shell.run(typed[1] ?? "")];

    expect(created).toContain("web");
    expect(list).toMatch(/web · /u);
    const [ask = ""] = commandsAt("docs/api.md#the-workload-api");
    expect(JSON.parse(await shell.run(ask))).toMatchObject({ region: "beijing1", services: [{ name: "web" }] });
  });

  test("several workspaces on one workload API", async () => {
    await using shell = await openShell();
    const [service = "", start = ""] = commandsAt("docs/workspaces.md#try-it-without-slack");
    await shell.begin(service);
    await shell.begin(start);

    const page = await fetch(`http://127.0.0.1:${shell.env["PLAYGROUND_PORT"]}/`);
    expect(page.status).toBe(200);
  });

  test("a policy is checked, asked and used", async () => {
    await using shell = await openShell();
    shell.write("policy.yaml", defaultPolicyText);
    const [check = "", allowed = "", isBig = ""] = commandsAt("docs/policy.md#ask-the-policy");
    const [same = "", start = ""] = commandsAt("docs/policy-cookbook.md#policy-cookbook");

    expect(same).toBe(check);
    expect(await shell.run(check)).toContain("policy.yaml is valid");
    expect(await shell.run(allowed)).toMatch(/^Yes, with 1 approval/mu);
    expect(await shell.run(isBig)).toMatch(/^Yes, with 1 approval/mu);
    await expect(shell.run(`${allowed} --standing guest`)).rejects.toThrow(/^No\./mu);
    await shell.begin(start);
  });
});

const server = notFullRun === undefined ? await startPostgres() : { missing: notFullRun };
const reason = because("missing" in server ? server.missing : undefined);
const { url, stop } = "missing" in server ? { url: "", stop: async () => {} } : server;
afterAll(stop);

describe.skipIf("missing" in server)(`on a real PostgreSQL${reason}`, () => {
  test("a dump is restored, and what was asked for before is in its history", async () => {
    await using shell = await openShell();
    const key = randomBytes(32).toString("base64");
    Object.assign(shell.env, { DATABASE_URL: url, GANTRY_KEYS: `k1:${key}` });
    const [start = ""] = commandsAt("README.md#try-it");
    const [dump = "", restore = "", mark = ""] = commandsAt("docs/backup.md#postgresql");
    const ended = await shell.begin(start);
    await shell.run('npm run say -- "/gantry scale web 3"');
    await shell.run(dump);
    await shell.run('npm run say -- "/gantry scale web 4"');
    await ended();

    await shell.run(restore);
    // As the page says, 20 s after the last replica of the dump.
    await until(() => shell.run(mark).then(Boolean, () => false));
    await shell.begin(start);

    const history = await shell.run('npm run say -- "/gantry history web"');
    expect(history).toMatch(/2 → 3/u);
    expect(history).not.toMatch(/3 → 4/u);
  });
});
