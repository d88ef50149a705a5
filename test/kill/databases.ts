import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startPostgres } from "../support/postgres.ts";
import type { StoreKind } from "./options.ts";
import type { ReplicaSetup } from "./ipc.ts";

/** Databases for clusters: a folder each, or a database each on one real server. */
export type Databases = {
  readonly next: () => Promise<ReplicaSetup["database"]>;
  /** One writer for a folder, two replicas on a server. */
  readonly replicas: number;
  readonly close: () => Promise<void>;
};

export async function openDatabases(kind: StoreKind): Promise<Databases> {
  return kind === "sqlite" ? folders() : databases();
}

function folders(): Databases {
  const made: string[] = [];
  return {
    replicas: 1,
    async next() {
      const dataDir = mkdtempSync(join(tmpdir(), "gantry-kill-"));
      made.push(dataDir);
      return { kind: "sqlite", dataDir };
    },
    async close() {
      for (const dataDir of made) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function databases(): Promise<Databases> {
  const server = await startPostgres();
  if ("missing" in server) throw new Error(`There is no PostgreSQL here: ${server.missing}.`);
  const { url: serverUrl } = server;
  let last = 0;
  const create = async (name: string): Promise<void> => {
    const client = new Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
  };
  // One after the other: PostgreSQL copies a template that nobody else may use meanwhile.
  let created: Promise<void> = Promise.resolve();
  return {
    replicas: 2,
    async next() {
      last += 1;
      const name = `cluster${last}`;
      created = created.then(() => create(name));
      await created;
      const url = new URL(serverUrl);
      url.pathname = `/${name}`;
      return { kind: "postgres", url: url.toString(), poolSize: 5, statementTimeoutMs: 5_000 };
    },
    close: server.stop,
  };
}
