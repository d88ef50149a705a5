import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";

const folder = join(import.meta.dirname, "../../node_modules/.cache/gantry-tests");

/**
 * A PostgreSQL in this process, with an empty database. It takes seconds to create one and a tenth of that to load one,
 * so it is created once for each version.
 */
export async function openPglite(): Promise<PGlite> {
  const file = join(folder, `pglite-${versionOfPglite()}.tar`);
  if (existsSync(file)) return PGlite.create({ loadDataDir: new Blob([readFileSync(file)]) });
  const created = await PGlite.create();
  const dump = await created.dumpDataDir("none");
  mkdirSync(folder, { recursive: true });
  // Another worker may do the same at the same time.
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, Buffer.from(await dump.arrayBuffer()));
  renameSync(own, file);
  return created;
}

function versionOfPglite(): string {
  const entry = fileURLToPath(import.meta.resolve("@electric-sql/pglite"));
  const { version } = JSON.parse(readFileSync(join(dirname(entry), "../package.json"), "utf8")) as { version: string }; // of npm
  return version;
}
