import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { serviceBody } from "../engines/docker/kill/changes.ts";
import { type Lane, openLane } from "../engines/docker/support/lane.ts";
import { listen, rest, shell } from "../support/container-script.ts";
import { type TestDaemon, testDaemons } from "../support/docker.ts";
import { runProgram } from "../support/program.ts";
import { besideTool, besideToolTable, type Pairs } from "./beside-tool.ts";
import { machine } from "./machine.ts";

/** The Docker engine and `docker` side by side, on the daemons of GANTRY_TEST_DOCKER and GANTRY_TEST_PODMAN. */

const LONGEST_RUN_MS = 40 * 60_000;
const LABEL = "gantry.bench=1";
const run = promisify(execFile);

const SERVICES = 200;
const INSTANCES = 3;

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

/** One instance after the other: the new one answers, then the old one is stopped and removed. */
async function deploys({ world, daemon }: Lane): Promise<Pairs> {
  const old: string[] = [];
  for (let at = 0; at < INSTANCES; at += 1) old.push(await runByDocker(daemon));
  await world.get("createService", { name: "deployed", body: serviceBody(INSTANCES) });
  const read = () => world.get("getService", { name: "deployed" });
  await world.until(read, ({ ready_instances: ready }) => ready === INSTANCES);
  const pairs = await besideTool({
    async tool() {
      for (const id of old.splice(0)) {
        old.push(await runByDocker(daemon));
        await run("docker", ["-H", daemon.host, "stop", id]);
        await run("docker", ["-H", daemon.host, "rm", id]);
      }
    },
    async engine(n) {
      const version = n + 2;
      const env = { set: [{ name: "VERSION", value: String(version) }] };
      await world.get("updateService", { name: "deployed", body: { containers: [{ env }] } });
      await world.until(read, ({ revision, rollout }) => revision === version && rollout?.state === "done");
    },
  });
  await world.get("deleteService", { name: "deployed" });
  await run("docker", ["-H", daemon.host, "rm", "-f", ...old]);
  return pairs;
}

/** Services of one quiet container each. */
async function fill({ world, daemon }: Lane): Promise<void> {
  process.stderr.write(`${daemon.title}: starting ${SERVICES} services\n`);
  const containers = [{ image: daemon.image, command: shell(rest) }];
  const names = Array.from({ length: SERVICES }, (_, n) => `quiet${n}`);
  for (const name of names) await world.get("createService", { name, body: { containers } });
  let running = 0;
  while (running < SERVICES) {
    await pause(1_000);
    const listed = await world.get("listServices");
    running = listed.services.filter(({ ready_instances: ready }) => ready === 1).length;
  }
}

async function measure(daemon: TestDaemon): Promise<string> {
  await using lane = await openLane(daemon, { isDirect: true });
  try {
    await lane.start();
    const [key = "", value = ""] = LABEL.split("=");
    await daemon.must({ method: "POST", path: "/networks/create", body: { Name: "bench", Labels: { [key]: value } } });
    const deployed = await deploys(lane);
    await fill(lane);
    const ps = ["-H", daemon.host, "ps", "--all", "--no-trunc", "--format", "{{json .}}"];
    const listed = await besideTool({
      tool: () => run("docker", ps, { maxBuffer: 2 ** 28 }),
      engine: () => lane.world.get("listServices"),
    });
    return besideToolTable([
      [`list of ${SERVICES} services, and docker ps`, listed],
      ["deploy of 3 instances, and docker run, stop and rm", deployed],
    ]);
  } finally {
    await daemon.removeWith(LABEL);
  }
}

async function main(): Promise<number> {
  const daemons = (await testDaemons()).filter(({ missing }) => missing === undefined);
  if (daemons.length === 0) throw new Error("Set GANTRY_TEST_DOCKER or GANTRY_TEST_PODMAN to unix:///path/of/its.sock");
  for (const daemon of daemons) {
    process.stdout.write(`Gantry on ${daemon.title}, ${machine()}\n\n${await measure(daemon)}\n\n`);
  }
  return 0;
}

const readOptions = () => undefined;
await runProgram({
  name: "The bench",
  longestMs: LONGEST_RUN_MS,
  usage: "",
  readOptions,
  main,
  atExit: () => undefined,
});
