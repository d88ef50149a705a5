import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { kubernetesRig } from "../engines/rigs/kubernetes.ts";
import { runProgram } from "../support/program.ts";
import { fetchTools } from "./support/tools.ts";

// The tests of the Helm chart: `npm run test:chart`.

const LONGEST_RUN_MS = 20 * 60_000;
const projectDir = resolve(import.meta.dirname, "../..");
const vitest = resolve(projectDir, "node_modules/vitest/vitest.mjs");

const usage = `npm run test:chart -- [options] [part of a test file's path …]
  --no-cluster   only what Helm renders
  --long         also rolls out a new version while people type
  --update       keep what the chart renders now, here and in docs/kustomize
  --report FILE  also write the results to FILE, as JSON
Helm and kubectl are fetched into node_modules/.cache. The chart is installed on the cluster of GANTRY_TEST_KUBECONFIG, or
on one that is brought up for it and taken down at the end.
`;

type Options = {
  readonly cluster: boolean;
  readonly long: boolean;
  readonly update: boolean;
  readonly report: string | undefined;
  /** Only test files with one of these in their path. */
  readonly files: readonly string[];
};

function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "no-cluster": { type: "boolean", default: false },
      long: { type: "boolean", default: false },
      update: { type: "boolean", default: false },
      report: { type: "string" },
    },
  });
  const { long, update, report } = values;
  return { cluster: !values["no-cluster"], long, update, report, files: positionals };
}

const rig = kubernetesRig({ noNode: false });
let tests: ChildProcess | undefined;

async function main({ cluster, long, update, report, files }: Options): Promise<number> {
  const env: NodeJS.ProcessEnv = { ...process.env, GANTRY_TEST_CHART_TOOLS: await fetchTools() };
  if (long) env["GANTRY_TEST_LONG"] = "1";
  if (!cluster) delete env["GANTRY_TEST_KUBECONFIG"];
  else env["GANTRY_TEST_KUBECONFIG"] = process.env["GANTRY_TEST_KUBECONFIG"] || (await rig.up());
  const args = [
    ...(update ? ["--update"] : []),
    ...(report === undefined ? [] : ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]),
    ...(cluster ? files : ["test/chart/templates.test.ts"]),
  ];
  tests = spawn(process.execPath, [vitest, "run", "--project", "chart", ...args], {
    cwd: projectDir,
    env,
    stdio: "inherit",
  });
  const [code] = (await once(tests, "exit")) as [number | null]; // Node's event
  return code ?? 1;
}

await runProgram({
  name: "The tests of the chart",
  longestMs: LONGEST_RUN_MS,
  usage,
  readOptions,
  main,
  atExit: () => {
    tests?.kill();
    rig.down();
  },
});
