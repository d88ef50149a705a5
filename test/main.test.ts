import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readPlaygroundAddress } from "../src/bot/compose/stand-ins/playground-address.ts";
import { runMain } from "./support/gantry-process.ts";
import { until } from "./support/until.ts";

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** `main.ts` with nothing configured but ports and a folder. */
function start(env: Readonly<Record<string, string>>): ReturnType<typeof runMain> {
  const dir = mkdtempSync(join(tmpdir(), "gantry-main-"));
  const child = runMain({ GANTRY_DATA: dir, PORT: "0", PLAYGROUND_PORT: "0", ...env });
  cleanUps.push(() => {
    child.process.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  });
  return child;
}

test("a wrong configuration is told by name, all at once, and nothing starts", async () => {
  const { process, output } = start({ SLACK_BOT_TOKEN: "xoxb-1", PORT: "http" });

  const [code] = await once(process, "exit");

  expect(code).toBe(1);
  expect(output()).toMatch(/PORT must be a port/u);
  expect(output()).toMatch(/SLACK_SIGNING_SECRET is missing/u);
  expect(output()).not.toContain("Gantry is running");
});

test.each(["PORT", "PLAYGROUND_PORT"])(
  "a port in use is told with the variable that changes it: %s",
  async (variable) => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => server.close());
    const { port } = server.address() as AddressInfo; // a TCP server has one

    const { process, output } = start({ [variable]: String(port) });
    const [code] = await once(process, "exit");

    expect(code).toBe(1);
    expect(output()).toContain(`The port ${port} of 127.0.0.1 is in use. Stop what uses it, or set ${variable} to`);
  },
);

test("a policy file that is wrong stops the start, with the line and a sentence", async () => {
  const dir = mkdtempSync(join(tmpdir(), "gantry-policy-"));
  cleanUps.push(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "policy.yaml");
  writeFileSync(path, "rules:\n  - name: look\n    who: members\n    does: reading\n    then: allow\n");

  const { process, output } = start({ GANTRY_POLICY: path });
  const [code] = await once(process, "exit");

  expect(code).toBe(1);
  expect(output()).toMatch(/policy\.yaml.*4.*reading/su);
  expect(output()).not.toMatch(/\n\s+at /u);
});

test("a key that is wrong stops the start with a sentence, and not with the key", async () => {
  const { process, output } = start({ GANTRY_KEYS: "k1:tooshort" });
  const [code] = await once(process, "exit");

  expect(code).toBe(1);
  expect(output()).toMatch(/isn't 32 bytes in base64.*openssl rand/su);
  expect(output()).not.toContain("tooshort");
});

test("without configuration it says how to go on, has demo workloads, and one Ctrl-C that comes twice ends it cleanly", async () => {
  const { process, output } = start({});
  await until(() => output().includes("Press Ctrl-C to stop."));
  const url = /PLAYGROUND_URL=(\S+) npm run say -- "\/gantry list"/u.exec(output())?.[1];

  const said = await fetch(`${url}/playground/say`, {
    method: "POST",
    body: JSON.stringify({ text: "/gantry list", quietMs: 50 }),
  });
  const text = await said.text();
  process.kill("SIGINT");
  process.kill("SIGINT");
  const [code] = await once(process, "exit");

  for (const name of ["web", "worker", "nightly-report"]) expect(text).toContain(name);
  expect(code).toBe(0);
});

test("after a restart of everything, an old card's button still works, and say's address file comes and goes", async () => {
  const dir = mkdtempSync(join(tmpdir(), "gantry-restart-"));
  cleanUps.push(() => rmSync(dir, { recursive: true, force: true }));
  const run = async (): Promise<
    ReturnType<typeof runMain> & { readonly act: (path: string, body: object) => Promise<string> }
  > => {
    const child = runMain({ GANTRY_DATA: dir, PORT: "0", PLAYGROUND_PORT: "0" });
    cleanUps.push(() => child.process.kill("SIGKILL"));
    await until(() => child.output().includes("Press Ctrl-C to stop."));
    const url = readPlaygroundAddress(dir);
    const act = async (path: string, body: object): Promise<string> =>
      (await fetch(`${url}/playground/${path}`, { method: "POST", body: JSON.stringify(body) })).text();
    return { ...child, act };
  };
  const first = await run();
  expect(await first.act("say", { text: "/gantry restart web" })).toContain("[Approve]");
  first.process.kill("SIGINT");
  await once(first.process, "exit");
  expect(readPlaygroundAddress(dir)).toBeUndefined();

  const second = await run();
  const approved = await second.act("click", { as: "alex", label: "Approve" });

  expect(approved).toContain('"acked":true');
  expect(approved).not.toContain('"error"');
  // On a busy machine the card follows later.
  await until(async () => (await second.act("click", { as: "alex", label: "Approve" })).includes("sees no button"));
});
