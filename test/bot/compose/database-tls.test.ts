import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { ConfigError } from "../../../src/bot/compose/config-problems.ts";
import { loadTls } from "../../../src/platform/database/database-tls.ts";
import { startGantry } from "../../../src/bot/compose/gantry.ts";
import { postgresListener, SSL_REQUEST, STARTUP_3_0 } from "../../support/postgres-listener.ts";

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "gantry-tls-"));
  cleanUps.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const keys = { GANTRY_KEYS: "k1:bmV3LWtleS1vZi0zMi1ieXRlcy1mb3ItdGhpcy10MDE=" };

/** Starts Gantry with these settings; what it says when it gives up. */
async function startFails(env: Record<string, string>): Promise<string> {
  const config = readConfig({ ...keys, PORT: "0", PLAYGROUND_PORT: "0", GANTRY_DATA: folder(), ...env });
  try {
    const gantry = await startGantry(config, pino({ level: "silent" }));
    await gantry.stop();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("it started without a database");
}

test.each([
  ["?sslmode=verify-full", {}],
  ["?sslmode=require", {}],
  ["?sslmode=prefer", {}],
  ["?ssl=true", {}],
  ["?sslmode=verify-full", { DATABASE_TLS: "verify" }],
  ["?sslmode=require", { DATABASE_TLS: "unverified" }],
  ["", { DATABASE_TLS: "verify" }],
])("a database URL with %s and %o is never sent a word in clear text", async (query, env) => {
  const { port, codes } = await postgresListener({ port: 0 });

  const said = await startFails({ DATABASE_URL: `postgres://gantry:pw@127.0.0.1:${port}/gantry${query}`, ...env });

  expect(codes).toEqual([SSL_REQUEST]);
  expect(said).toContain("it doesn't support TLS, which the settings require");
});

test("a certificate authority in the URL is read, and TLS is requested", async () => {
  const { port, codes } = await postgresListener({ port: 0 });
  const ca = join(folder(), "ca.pem");
  writeFileSync(ca, "");

  await startFails({ DATABASE_URL: `postgres://g:pw@127.0.0.1:${port}/g?sslmode=verify-ca&sslrootcert=${ca}` });

  expect(codes).toEqual([SSL_REQUEST]);
});

test.each([["?sslmode=disable"], ["?ssl=0"], [""]])("clear text is for URLs that ask for it: %s", async (query) => {
  const { port, codes } = await postgresListener({ port: 0 });

  await startFails({ DATABASE_URL: `postgres://gantry:pw@127.0.0.1:${port}/gantry${query}` });

  expect(codes).toEqual([STARTUP_3_0]);
});

test("TLS over a Unix socket is refused with the reason", async () => {
  const dir = folder();
  const { codes } = await postgresListener({ path: join(dir, ".s.PGSQL.5432") });
  const url = `postgres://gantry:pw@localhost/gantry?host=${encodeURIComponent(dir)}`;

  await startFails({ DATABASE_URL: url });

  expect(codes).toEqual([STARTUP_3_0]);
  expect(problems(`${url}&sslmode=verify-full`)).toEqual([expect.stringMatching(/^DATABASE_URL is a Unix socket/u)]);
  expect(problems(url, { DATABASE_TLS: "verify" })).toEqual([expect.stringMatching(/^DATABASE_URL is a Unix socket/u)]);
  const encoded = `postgres://gantry@${encodeURIComponent(dir)}/gantry?sslmode=require`;
  expect(problems(encoded)).toEqual([expect.stringMatching(/^DATABASE_URL is a Unix socket/u)]);
});

const base = "postgres://gantry:pw@db.example:5432/gantry";

function problems(url: string, env: Record<string, string> = {}): readonly string[] {
  try {
    readConfig({ ...keys, DATABASE_URL: url, ...env });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test.each([
  ["?sslmode=verify-full", { DATABASE_TLS: "off" }, /^DATABASE_TLS contradicts the sslmode in DATABASE_URL/u],
  ["?sslmode=verify-full", { DATABASE_TLS: "unverified" }, /^DATABASE_TLS contradicts/u],
  ["?sslmode=require", { DATABASE_TLS: "verify" }, /^DATABASE_TLS contradicts/u],
  ["?sslmode=require&sslrootcert=/ca.pem", { DATABASE_TLS: "unverified" }, /^DATABASE_TLS contradicts/u],
  ["?sslmode=disable", { DATABASE_TLS: "verify" }, /^DATABASE_TLS contradicts/u],
  ["?sslmode=verify-ca", {}, /needs the authority's certificate: add sslrootcert=FILE or set DATABASE_CA/u],
  ["?sslmode=allow", {}, /^DATABASE_URL has an unsupported sslmode\. Use sslmode=verify-full/u],
  ["?sslmode=Verify-Full", {}, /^DATABASE_URL has an unsupported sslmode/u],
  ["?sslMode=verify-full", {}, /^DATABASE_URL has a TLS parameter that Gantry doesn't know/u],
  ["?sslmode=verify-full&sslmode=disable", {}, /^DATABASE_URL has sslmode more than once/u],
  ["?ssl=false&sslmode=verify-full", {}, /^DATABASE_URL has both ssl and sslmode/u],
  ["?sslmode=verify-full&sslrootcert=/a.pem", { DATABASE_CA: "/b.pem" }, /^DATABASE_CA contradicts the sslrootcert/u],
  ["", { DATABASE_CA: "/ca.pem" }, /^DATABASE_CA would not be used: set DATABASE_TLS=verify/u],
  ["?sslrootcert=/ca.pem", {}, /^DATABASE_URL has sslrootcert, which would not be used/u],
  ["?sslnegotiation=direct", {}, /^DATABASE_URL has sslnegotiation=direct, but TLS is off/u],
])("what contradicts the URL is refused with what to do: %s with %o", (query, env, sentence) => {
  expect(problems(`${base}${query}`, env as Record<string, string>)).toEqual([expect.stringMatching(sentence)]); // plain strings
});

test.each([
  ["?sslmode=verify-full", "chain and name"],
  ["?sslmode=verify-full&sslrootcert=system", "chain and name"],
  ["?sslmode=require&sslrootcert=/ca.pem", "chain"],
  ["?sslmode=verify-ca&sslrootcert=/ca.pem", "chain"],
  ["?sslmode=require", "nothing"],
  ["?sslmode=no-verify", "nothing"],
])("the URL says what is checked: %s checks %s", (query, verify) => {
  const { store } = readConfig({ ...keys, DATABASE_URL: `${base}${query}` });

  expect(store).toMatchObject({ tls: { verify } });
});

test("only verify-ca leaves the server's name unchecked", () => {
  expect(loadTls({ verify: "chain and name" })).toEqual({ rejectUnauthorized: true });
  expect(loadTls({ verify: "chain" })).toEqual({
    rejectUnauthorized: true,
    checkServerIdentity: expect.any(Function) as unknown, // a matcher of vitest
  });
  expect(loadTls({ verify: "nothing" })).toEqual({ rejectUnauthorized: false });
});

test("a certificate that can't be read stops the start with its setting and its path", async () => {
  const url = `${base}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`;

  expect(await startFails({ DATABASE_URL: url })).toBe(
    "The certificate in DATABASE_CA or sslrootcert can't be read: /nowhere/ca.pem (ENOENT). Nothing was started. Correct the path.",
  );
});
