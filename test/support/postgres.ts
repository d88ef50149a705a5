import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { DEADLINE_MS } from "./until.ts";

/** A PostgreSQL of its own, on 127.0.0.1, in a folder that goes with it. */
export type TestPostgres = {
  readonly url: string;
  /** Ends the server as a crash would, and leaves its data. */
  readonly down: () => Promise<void>;
  /** Starts it again, at the same address. */
  readonly up: () => Promise<void>;
  /** Ends it and removes everything. */
  readonly stop: () => Promise<void>;
};

/** Starts a fresh server; `missing` says why there is none. */
export async function startPostgres(): Promise<TestPostgres | { readonly missing: string }> {
  const bin = binaries();
  if (bin === undefined) return { missing: "skipped: no postgres and initdb on the PATH or in /usr/lib/postgresql" };
  const account = accountToRunAs();
  if (account === "none") return { missing: "skipped: PostgreSQL does not run as root, and there is no user postgres" };
  const dir = mkdtempSync(join(tmpdir(), "gantry-postgres-"));
  const data = join(dir, "data");
  const password = randomBytes(12).toString("hex");
  writeFileSync(join(dir, "password"), password);
  if (account !== undefined) for (const path of [dir, join(dir, "password")]) chownSync(path, account.uid, account.gid);
  const initOptions = ["-U", "gantry", "-A", "scram-sha-256", "-E", "UTF8", "--no-locale", "--no-sync"];
  execFileSync(join(bin, "initdb"), ["-D", data, ...initOptions, `--pwfile=${join(dir, "password")}`], {
    ...account,
    stdio: "pipe",
  });
  const port = await freePort();
  const url = `postgres://gantry:${password}@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;
  const options = ["-D", data, "-k", dir, "-h", "127.0.0.1", "-p", String(port), "-c", "fsync=off"];
  // A process that is ended before it could stop its server takes it along.
  const atExit = () => server?.kill("SIGQUIT");
  process.on("exit", atExit);

  const up = async () => {
    const started = spawn(join(bin, "postgres"), options, {
      ...account,
      stdio: ["ignore", "ignore", "pipe"],
    });
    server = started;
    let said = "";
    started.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
    await ready(url, () => (started.exitCode === null ? undefined : said));
  };
  const end = async (signal: "SIGINT" | "SIGQUIT") => {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const over = once(running, "exit");
    running.kill(signal);
    await over;
  };
  const stop = async () => {
    process.off("exit", atExit);
    await end("SIGQUIT");
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await up();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, up, down: () => end("SIGQUIT"), stop };
}

let databases = 0;

/** The address of a new, empty database of a server. */
export async function newDatabase(url: string): Promise<string> {
  databases += 1;
  const name = `gantry_${databases}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

/** Where both programs lie: on the PATH, or where Debian keeps them, the newest version first. */
function binaries(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...versions.map((version) => join(debian, version, "bin")),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/** PostgreSQL refuses to run as root: then as the user that its package makes. */
function accountToRunAs(): { uid: number; gid: number } | undefined | "none" {
  if (process.getuid?.() !== 0) return undefined;
  for (const line of readFileSync("/etc/passwd", "utf8").split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name === "postgres") return { uid: Number(uid), gid: Number(gid) };
  }
  return "none";
}

async function ready(url: string, died: () => string | undefined): Promise<void> {
  const since = performance.now();
  for (;;) {
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      const said = died();
      if (said !== undefined) throw new Error(`PostgreSQL did not start: ${said}`, { cause: error });
      if (performance.now() - since > DEADLINE_MS) throw new Error("PostgreSQL does not answer", { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
