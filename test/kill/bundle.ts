import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

export type Bundle = {
  readonly program: string;
  /** For what Node compiles of it. */
  readonly compiled: string;
};

const source = fileURLToPath(new URL("replica.ts", import.meta.url));
let folder: string | undefined;
let bundled: Promise<Bundle> | undefined;

/**
 * A replica as one file. It imports 1,300 others, and a process that loads them one by one takes more time for that
 * than a round takes for everything else.
 */
export function bundleReplica(): Promise<Bundle> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<Bundle> {
  folder = mkdtempSync(join(tmpdir(), "gantry-kill-replica-"));
  const build = await rolldown({
    input: source,
    platform: "node",
    logLevel: "silent",
    // What lies beside a source is still found there: the manifest, the code of a thread.
    plugins: [{ name: "places", transform: (code, id) => withPlaces(code, id) }],
  });
  await build.write({ dir: folder, format: "esm", keepNames: true });
  await build.close();
  return { program: join(folder, "replica.js"), compiled: join(folder, "compiled") };
}

function withPlaces(code: string, id: string): string | undefined {
  if (!code.includes("import.meta.")) return undefined;
  return code
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
    .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)));
}

export function removeBundle(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
