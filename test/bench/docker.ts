import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { serviceBody } from "../engines/docker/kill/changes.ts";
import { type Lane, openLane } from "../engines/docker/support/lane.ts";
import { listen, rest, shell } from "../support/container-script.ts";
import { type TestDaemon, testDaemons } from "../support/docker.ts";
import { runProgram } from "../support/program.ts";
import { deployTable, type DeployTimes } from "./deploy-times.ts";
import { machine } from "./report.ts";
import { range, type Range } from "./stats.ts";
import { table } from "./table.ts";

/** The Docker engine and `docker` side by side, on the daemons of GANTRY_TEST_DOCKER and GANTRY_TEST_PODMAN. */

const LONGEST_RUN_MS = 40 * 60_000;
const LABEL = "gantry.bench=1";
const run = promisify(execFile);

const usage = `npm run bench:docker -- [options]
  --services N   services of one instance each (200)
  --reps N       repetitions (7)
  --only deploys deploys alone
  --json FILE    write the figures to FILE
`;

type Options = {
  readonly services: number;
  readonly reps: number;
  readonly isDeploysOnly: boolean;
  readonly json?: string;
};

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      services: { type: "string", default: "200" },
      reps: { type: "string", default: "7" },
      only: { type: "string" },
      json: { type: "string" },
    },
  });
  const { services, reps, only, json } = values;
  const numbers = { services: Number(services), reps: Number(reps) };
  if (only !== undefined && only !== "deploys") throw new Error("--only can be deploys");
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} has to be a whole number from 1`);
  }
  return { ...numbers, isDeploysOnly: only === "deploys", ...(json !== undefined && { json }) };
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await action();
  return performance.now() - since;
}

async function inTurn(reps: number, measure: (n: number) => Promise<number>): Promise<Range> {
  const times: number[] = [];
  for (let n = 0; n < reps; n += 1) times.push(await measure(n));
  return range(times);
}

async function answers(address: string): Promise<void> {
  const page = () => fetch(`http://${address}/`, { headers: { connection: "close" } }).then((reply) => reply.text());
  while ((await page().catch(() => "")).trim() !== "hello") await pause(5);
}

/** Until its page is there: a container that was started may not listen yet. Resolves to its id. */
async function runByDocker({ host, image }: TestDaemon): Promise<string> {
  const docker = (...args: string[]) => run("docker", ["-H", host, ...args]);
  const script = `${listen}; ${rest}`;
  const args = ["run", "-d", "--label", LABEL, "-p", "127.0.0.1::8080", "--network", "bench", image];
  const id = (await docker(...args, ...shell(script))).stdout.trim();
  await answers((await docker("port", id, "8080")).stdout.trim().split("\n")[0] ?? "");
  return id;
}

async function startsByDocker(daemon: TestDaemon, reps: number): Promise<Range> {
  return await inTurn(reps, async () => {
    let id = "";
    const ms = await timed(async () => (id = await runByDocker(daemon)));
    await run("docker", ["-H", daemon.host, "rm", "-f", id]);
    return ms;
  });
}

const INSTANCES = 3;

/** One instance after the other: the new one answers, then the old one is stopped and removed. */
async function deploys({ world, daemon }: Lane, reps: number): Promise<DeployTimes> {
  const old: string[] = [];
  for (let at = 0; at < INSTANCES; at += 1) old.push(await runByDocker(daemon));
  async function byDocker(): Promise<void> {
    for (const id of old.splice(0)) {
      old.push(await runByDocker(daemon));
      await run("docker", ["-H", daemon.host, "stop", id]);
      await run("docker", ["-H", daemon.host, "rm", id]);
    }
  }
  await world.get("createService", { name: "deployed", body: serviceBody(INSTANCES) });
  const read = () => world.get("getService", { name: "deployed" });
  await world.until(read, ({ ready_instances: ready }) => ready === INSTANCES);
  async function byEngine(version: number): Promise<void> {
    const env = { set: [{ name: "VERSION", value: String(version) }] };
    await world.get("updateService", { name: "deployed", body: { containers: [{ env }] } });
    await world.until(read, ({ revision, rollout }) => revision === version && rollout?.state === "done");
  }
  const times = { tool: new Array<number>(), engine: new Array<number>() };
  for (let n = 0; n < reps; n += 1) {
    times.tool.push(await timed(byDocker));
    times.engine.push(await timed(() => byEngine(n + 2)));
  }
  await world.get("deleteService", { name: "deployed" });
  await run("docker", ["-H", daemon.host, "rm", "-f", ...old]);
  return times;
}

async function startsByEngine({ world }: Lane, reps: number): Promise<Range> {
  return await inTurn(reps, async (n) => {
    const name = `start${n}`;
    const ms = await timed(async () => {
      await world.get("createService", { name, body: serviceBody() });
      await world.until(
        () => world.get("getService", { name }),
        ({ status }) => status === "Running",
      );
      const { port_mappings: mappings } = await world.get("getService", { name });
      await answers(mappings?.[0]?.service_url ?? "");
    });
    await world.get("deleteService", { name });
    return ms;
  });
}

/** Services of one quiet container each. */
async function fill({ world, daemon }: Lane, services: number): Promise<void> {
  const containers = [{ image: daemon.image, command: shell(rest) }];
  const names = Array.from({ length: services }, (_, n) => `quiet${n}`);
  for (const name of names) await world.get("createService", { name, body: { containers } });
  let running = 0;
  while (running < services) {
    await pause(1_000);
    const listed = await world.get("listServices");
    running = listed.services.filter(({ ready_instances: ready }) => ready === 1).length;
  }
}

type Figures = {
  readonly deploys: DeployTimes;
  readonly others?: Readonly<Record<"listDocker" | "listEngine" | "startDocker" | "startEngine", Range>>;
};

async function measure(daemon: TestDaemon, { services, reps, isDeploysOnly }: Options): Promise<Figures> {
  await using lane = await openLane(daemon, { isDirect: true });
  try {
    await lane.start();
    await daemon.must({ method: "POST", path: "/networks/create", body: { Name: "bench", Labels: labels() } });
    const deployed = await deploys(lane, reps);
    if (isDeploysOnly) return { deploys: deployed };
    const startDocker = await startsByDocker(daemon, reps);
    const startEngine = await startsByEngine(lane, reps);
    process.stderr.write(`${daemon.title}: starting ${services} services\n`);
    await fill(lane, services);
    const ps = ["-H", daemon.host, "ps", "--all", "--no-trunc", "--format", "{{json .}}"];
    const listDocker = await inTurn(reps, () => timed(() => run("docker", ps, { maxBuffer: 2 ** 28 })));
    const listEngine = await inTurn(reps, () => timed(() => lane.world.get("listServices")));
    return { deploys: deployed, others: { listDocker, listEngine, startDocker, startEngine } };
  } finally {
    await daemon.removeWith(LABEL);
  }
}

function labels(): Readonly<Record<string, string>> {
  const [key = "", value = ""] = LABEL.split("=");
  return { [key]: value };
}

function report(title: string, { services, reps }: Options, figures: Figures): string {
  const row = (name: string, { median, min, max }: Range, baseline: Range): string[] => [
    name,
    median.toFixed(0),
    min.toFixed(0),
    max.toFixed(0),
    (median / baseline.median).toFixed(2),
  ];
  const deployed = deployTable(figures.deploys, "docker run, docker stop and docker rm");
  const head = `Gantry on ${title}, ${machine()}; ${services} services, ${reps} repetitions`;
  if (!figures.others) return [head, deployed].join("\n\n");
  const { listDocker, listEngine, startDocker, startEngine } = figures.others;
  return [
    head,
    deployed,
    table([
      ["ms", "median", "min", "max", "ratio"],
      row("list: docker ps", listDocker, listDocker),
      row("list: listServices", listEngine, listDocker),
      row("create until it answers: docker run", startDocker, startDocker),
      row("create until it is Running and answers", startEngine, startDocker),
    ]),
  ].join("\n\n");
}

async function main(options: Options): Promise<number> {
  const daemons = (await testDaemons()).filter(({ missing }) => missing === undefined);
  if (daemons.length === 0) throw new Error("Set GANTRY_TEST_DOCKER or GANTRY_TEST_PODMAN to unix:///path/of/its.sock");
  const all: Record<string, Figures> = {};
  for (const daemon of daemons) {
    const figures = await measure(daemon, options);
    all[daemon.kind] = figures;
    process.stdout.write(`${report(daemon.title, options, figures)}\n\n`);
  }
  if (options.json !== undefined) {
    const written = { machine: machine(), at: new Date().toISOString(), ...options, figures: all };
    writeFileSync(options.json, `${JSON.stringify(written, undefined, 2)}\n`);
  }
  return 0;
}

await runProgram({ name: "The bench", longestMs: LONGEST_RUN_MS, usage, readOptions, main, atExit: () => undefined });
