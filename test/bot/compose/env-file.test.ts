import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const bin = join(import.meta.dirname, "../../../src/bin/say.ts");

/** What `say` prints in a folder with this `.env`, and without one. */
function say(env: string | undefined, name = ".env"): string {
  const folder = mkdtempSync(join(tmpdir(), "gantry-env-"));
  try {
    if (env !== undefined) writeFileSync(join(folder, name), env);
    const { stderr } = spawnSync(process.execPath, [bin, "/gantry list"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...(name !== ".env" && { GANTRY_ENV_FILE: name }) },
    });
    return stderr;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the variables of .env count, and a missing .env isn't worth a word", () => {
  expect(say("PLAYGROUND_URL=http://127.0.0.1:1")).toBe(
    "Nothing answers at http://127.0.0.1:1. Start it with `npm start`.\n",
  );
  expect(say(undefined)).not.toContain(".env");
  expect(say("PLAYGROUND_URL=http://127.0.0.1:2", "other.env")).toContain("http://127.0.0.1:2");
});
