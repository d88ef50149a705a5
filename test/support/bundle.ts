import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const maker = resolve(import.meta.dirname, "../../src/bin/bundle.ts");

/** `gantry` as it is in the image, in a folder that `remove` removes. */
export function bundledGantry(): { readonly program: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "gantry-bundle-"));
  execFileSync(process.execPath, [maker, folder], { stdio: ["ignore", "ignore", "inherit"] });
  return {
    program: join(folder, "gantry.js"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
