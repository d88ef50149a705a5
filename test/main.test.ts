import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newKey } from "../src/bot/accounts/seal.ts";
import { readPlaygroundAddress } from "../src/bot/compose/stand-ins/playground-address.ts";
import { runMain } from "./support/gantry-process.ts";
import { runToEnd } from "./support/gantry-runs.ts";
import { until } from "./support/until.ts";

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "gantry-main-"));
  cleanUps.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** `main.ts` with nothing configured but ports, a folder, and what is wrong. */
const failed = (env: Readonly<Record<string, string>>) =>
  runToEnd("main.ts", [], { GANTRY_DATA: folder(), PORT: "0", PLAYGROUND_PORT: "0", ...env });

test("a wrong configuration is told by name, all at once, and nothing starts", async () => {
  const { code, out, err } = await failed({ SLACK_BOT_TOKEN: "xoxb-1", PORT: "http" });

  expect(code).toBe(1);
  expect(err).toMatch(/PORT must be a port/u);
  expect(err).toMatch(/SLACK_SIGNING_SECRET is missing/u);
  expect(out).not.toContain("Gantry is running");
});

test.each(["PORT", "PLAYGROUND_PORT"])(
  "a port in use is told with the variable that changes it: %s",
  async (variable) => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => server.close());
    const { port } = server.address() as AddressInfo; // a TCP server has one

    const { code, err } = await failed({ [variable]: String(port) });

    expect(code).toBe(1);
    expect(err).toContain(`The port ${port} of 127.0.0.1 is in use. Stop what uses it, or set ${variable} to`);
  },
);

test("a policy file that is wrong stops the start, with the line and a sentence", async () => {
  const path = join(folder(), "policy.yaml");
  writeFileSync(path, "rules:\n  - name: look\n    who: members\n    does: reading\n    then: allow\n");

  const { code, err } = await failed({ GANTRY_POLICY: path });

  expect(code).toBe(1);
  expect(err).toMatch(/policy\.yaml.*4.*reading/su);
  expect(err).not.toMatch(/\n\s+at /u);
});

const password = "database-password-0012-swordfish";
const key = "S2V5LW9mLTMyLWJ5dGVzLWZvci10aGlzLXRlc3QtMDE=";

test.each([
  [
    "a database that does not answer",
    { DATABASE_URL: `postgres://gantry:${password}@127.0.0.1:9/gantry`, GANTRY_KEYS: newKey() },
    /database can't be used/u,
  ],
  [
    "a database without a key",
    { DATABASE_URL: `postgres://gantry:${password}@127.0.0.1:9/gantry` },
    /GANTRY_KEYS is missing/u,
  ],
  [
    "an address of another kind",
    { DATABASE_URL: `mysql://gantry:${password}@127.0.0.1/gantry` },
    /DATABASE_URL must be/u,
  ],
  [
    "an address that is none",
    { DATABASE_URL: `postgres://gantry:${password}@127.0.0.1:port/gantry` },
    /DATABASE_URL must be/u,
  ],
  ["a key without its id", { GANTRY_KEYS: key }, /Key 1 lacks/u],
  [
    "a key that is too short",
    { GANTRY_KEYS: `k1:${key.slice(0, 40)}` },
    /Key 1, “k1”.*isn't 32 bytes in base64.*openssl rand/su,
  ],
  [
    "tokens that belong together, and one is missing",
    { SLACK_BOT_TOKEN: `xoxb-${password}`, WORKLOAD_API_TOKEN: password },
    /SLACK_SIGNING_SECRET is missing/u,
  ],
])("a start that fails tells no secret: %s", async (_, env, told) => {
  const { code, out, err } = await failed({ GANTRY_LOG_LEVEL: "debug", ...env });

  const said = out + err;
  expect(code).toBe(1);
  expect(said).toMatch(told);
  const ownKey = ("GANTRY_KEYS" in env ? env.GANTRY_KEYS : key).split(":").at(-1) ?? key;
  for (const secret of [password, key.slice(0, 40), ownKey]) expect(said).not.toContain(secret);
});

test("without configuration it says how to go on and has demo workloads; after Ctrl-C that comes twice, a new start knows the old card", async () => {
  const dir = folder();
  const run = async () => {
    const child = runMain({ GANTRY_DATA: dir, PORT: "0", PLAYGROUND_PORT: "0" });
    cleanUps.push(() => child.process.kill("SIGKILL"));
    await until(() => child.output().includes("Press Ctrl-C to stop."));
    const url = /PLAYGROUND_URL=(\S+) npm run say -- "\/gantry list"/u.exec(child.output())?.[1];
    expect(readPlaygroundAddress(dir)).toBe(url);
    const act = async (path: string, body: object): Promise<string> =>
      (await fetch(`${url}/playground/${path}`, { method: "POST", body: JSON.stringify(body) })).text();
    const shown = async (): Promise<string> => (await fetch(`${url}/playground/state`)).text();
    return { ...child, act, shown };
  };
  const first = await run();
  // On a busy machine the answer may be that it follows.
  await until(async () => {
    const listed = await first.act("say", { text: "/gantry list", quietMs: 50 });
    return ["web", "worker", "nightly-report"].every((name) => listed.includes(name));
  });
  await first.act("say", { text: "/gantry restart web" });
  // Here, too, the first answer may be that it follows.
  await until(async () => (await first.shown()).includes('"Approve"'));
  first.process.kill("SIGINT");
  first.process.kill("SIGINT");
  const [code] = await once(first.process, "exit");
  expect(code).toBe(0);
  expect(readPlaygroundAddress(dir)).toBeUndefined();

  const second = await run();
  const approved = await second.act("click", { as: "alex", label: "Approve" });

  expect(approved).toContain('"acked":true');
  expect(approved).not.toContain('"error"');
  // On a busy machine the card follows later.
  await until(async () => (await second.act("click", { as: "alex", label: "Approve" })).includes("sees no button"));
});

test("Ctrl-C ends a start that waits for its folder at once, and the log says that each Gantry stops and has stopped", async () => {
  const dir = folder();
  const env = { GANTRY_DATA: dir, GANTRY_LOG_LEVEL: "info", PORT: "0", PLAYGROUND_PORT: "0" };
  const running = runMain(env);
  cleanUps.push(() => running.process.kill("SIGKILL"));
  await until(() => running.output().includes("Press Ctrl-C to stop."));
  const second = runMain(env);
  cleanUps.push(() => second.process.kill("SIGKILL"));
  await until(() => second.output().includes("waiting up to 15 s"));

  second.process.kill("SIGINT");
  const [waitingCode] = (await once(second.process, "close")) as [number | null]; // Node's own types say any
  running.process.kill("SIGTERM");
  const [code] = (await once(running.process, "close")) as [number | null]; // Node's own types say any

  expect([waitingCode, code]).toEqual([0, 0]);
  expect(second.output()).not.toContain("Another Gantry works");
  for (const output of [second.output(), running.output()]) {
    expect(output).toMatch(
      /"inProgress":\d+,"msg":"Gantry is stopping"\}\n(?:.*\n)*.*"left":0,"msg":"Gantry has stopped"\}\n$/u,
    );
  }
});
