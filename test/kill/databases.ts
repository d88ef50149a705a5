import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newDatabase, startPostgres } from "../support/postgres.ts";
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
  // One after the other: PostgreSQL copies a template that nobody else may use meanwhile.
  let created: Promise<unknown> = Promise.resolve();
  return {
    replicas: 2,
    async next() {
      const url = created.then(() => newDatabase(serverUrl));
      created = url;
      return { kind: "postgres", url: await url, poolSize: 5, statementTimeoutMs: 5_000, connectWithinMs: 30_000 };
    },
    close: server.stop,
  };
}
