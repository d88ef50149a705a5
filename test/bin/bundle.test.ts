import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { version } from "../../src/platform/version.ts";
import { bundledGantry } from "../support/bundle.ts";

const sources = resolve(import.meta.dirname, "../../src/gantry.js");
let bundle: ReturnType<typeof bundledGantry>;
beforeAll(() => void (bundle = bundledGantry()));
afterAll(() => bundle.remove());

async function run(program: string, words: readonly string[], before = "") {
  const args = ["--import", `data:text/javascript,${encodeURIComponent(before)}`, program, ...words];
  const env = { PATH: process.env["PATH"] };
  const ended = promisify(execFile)(process.execPath, args, { env });
  return ended.catch(({ stdout, stderr }: Awaited<typeof ended>) => ({ stdout, stderr }));
}

test("the image's gantry tells its version, and finds the manifest", async () => {
  expect(await run(bundle.program, ["--version"])).toEqual({ stdout: `${version}\n`, stderr: "" });
  const manifest = await run(bundle.program, ["manifest", "--socket"]);
  expect(manifest).toEqual(await run(sources, ["manifest", "--socket"]));
  expect(manifest.stdout).toContain("oauth_config");
});

test("its files take one byte for each character in memory", () => {
  const folder = dirname(bundle.program);
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  expect(files).toContain("gantry.js");
  for (const name of files) expect(readFileSync(join(folder, name), "utf8"), name).not.toMatch(/[^ -~\t\n\r]/u);
});

test("its stack traces name the lines of the sources", async () => {
  const broken = "process.loadEnvFile = () => { throw new TypeError('broken') }";
  const { stderr } = await run(bundle.program, ["bot"], broken);

  expect(stderr).toContain("TypeError: broken\n    at ");
  expect(stderr).toMatch(/at loadEnvFile \(file:.*\/src\/bot\/compose\/entry\.ts:\d+:\d+\)/u);
  expect(stderr).toBe((await run(sources, ["bot"], broken)).stderr);
});
