import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { runProgram } from "../support/program.ts";
import { type EngineName, type Options, readOptions, usage } from "./options.ts";
import { daemonRig } from "./rigs/daemon.ts";
import { kubernetesRig } from "./rigs/kubernetes.ts";
import type { Rig } from "./rigs/rig.ts";

// The tests of an engine on the real thing: `npm run test:engines -- docker`.

const LONGEST_RUN_MS = 3 * 60 * 60_000;
const projectDir = resolve(import.meta.dirname, "../..");
const vitest = resolve(projectDir, "node_modules/vitest/vitest.mjs");

/** How tests are told where an engine is, and the Vitest project that they are in. */
const places = {
  kubernetes: { variable: "GANTRY_TEST_KUBECONFIG", project: "kubernetes", called: "the cluster of" },
  docker: { variable: "GANTRY_TEST_DOCKER", project: "docker", called: "Docker at" },
  podman: { variable: "GANTRY_TEST_PODMAN", project: "podman", called: "Podman at" },
} as const;

const rigs: Rig[] = [];
let tests: ChildProcess | undefined;

async function main(options: Options): Promise<number> {
  const { engines, long, report, files } = options;
  const env: NodeJS.ProcessEnv = { ...process.env, ...(long && { GANTRY_TEST_LONG: "1" }) };
  for (const engine of engines) {
    const { variable, called } = places[engine];
    const place = process.env[variable] || (await broughtUp(engine, options));
    process.stdout.write(`Tests on ${called} ${place}\n`);
    env[variable] = place;
  }
  const projects = new Set(engines.map((engine) => places[engine].project));
  const args = [
    ...[...projects].flatMap((project) => ["--project", project]),
    ...(report === undefined ? [] : ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]),
  ];
  tests = spawn(process.execPath, [vitest, "run", ...args, ...files], { cwd: projectDir, env, stdio: "inherit" });
  const [code] = (await once(tests, "exit")) as [number | null]; // Node's event
  return code ?? 1;
}

async function broughtUp(engine: EngineName, { noNode }: Options): Promise<string> {
  const rig = engine === "kubernetes" ? kubernetesRig({ noNode }) : daemonRig(engine);
  rigs.push(rig);
  return await rig.up();
}

await runProgram({
  name: "The tests of the engine",
  longestMs: LONGEST_RUN_MS,
  usage,
  readOptions,
  main,
  atExit: () => {
    tests?.kill();
    for (const rig of rigs) rig.down();
  },
});
