import type { Job, Service } from "../../../../src/api/schema.ts";
import type { TestContainer } from "../../../support/docker.ts";
import { until } from "../../../support/until.ts";
import type { Reply } from "../../../service/contract/world.ts";
import type { Lane } from "../support/lane.ts";

// What must never be, whatever happened to the service.

/** Compares the containers on the daemon with what the API tells of the only workload, once nothing moves any more. */
export async function wrongContainers(lane: Lane, reply: Reply): Promise<readonly string[]> {
  let wrong: readonly string[] = [];
  try {
    await until(async () => {
      wrong = differences(reply, await lane.containers());
      return wrong.length === 0;
    });
  } catch {
    // It stays so.
  }
  return wrong;
}

function differences(reply: Reply, containers: readonly TestContainer[]): readonly string[] {
  const wanted = wantedInstances(reply);
  const instances = containers.map(({ labels }) => labels["gantry.instance"] ?? "none");
  const twice = instances.filter((name, index) => instances.indexOf(name) !== index);
  const missing = wanted.filter((name) => !instances.includes(name));
  const surplus = containers.filter(({ labels }) => !wanted.includes(labels["gantry.instance"] ?? "none"));
  const ended = containers.filter(({ state }) => state !== "running");
  return [
    ...twice.map((name) => `doubled: ${name} runs twice`),
    ...missing.map((name) => `lost: ${name} has no container`),
    ...surplus.map(({ name, state }) => `orphan: ${name} (${state}) belongs to nothing`),
    ...ended.map(({ name, state }) => `left over: ${name} is ${state}`),
  ];
}

function wantedInstances({ status, body }: Reply): readonly string[] {
  if (status !== 200) return [];
  if (isJob(body)) return body.status?.active === 1 ? (body.instance_names ?? []) : [];
  const { name, status: state, target_instance_size: size = 0 } = body as Service; // a read that was answered with 200
  return state === "Stopped" ? [] : Array.from({ length: size }, (_, index) => `${name}-${index}`);
}

function isJob(body: unknown): body is Job {
  return typeof body === "object" && body !== null && "metadata" in body;
}

/** Ticks of each container, as they are in the log store. */
async function ticksOf({ world }: Lane, name: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const entries = await world.get("getServiceLogs", { name, query: { size: 1_000 } });
  const ticks = new Map<string, number[]>();
  for (const { log } of entries) {
    const [, container = "", count = ""] = /^tick (\S+) (\d+)$/u.exec(log) ?? [];
    if (container !== "") ticks.set(container, [...(ticks.get(container) ?? []), Number(count)]);
  }
  return ticks;
}

/** Each container's lines are there once, in order and without a gap, and more of them arrive. */
export async function wrongLog(
  lane: Lane,
  name: string,
  running: readonly TestContainer[],
): Promise<readonly string[]> {
  const before = await ticksOf(lane, name);
  let ticks = before;
  const stalled = () =>
    running.filter(({ id }) => {
      const key = [...ticks.keys()].find((host) => id.startsWith(host)) ?? "";
      return (ticks.get(key)?.length ?? 0) <= (before.get(key)?.length ?? 0);
    });
  try {
    await until(async () => {
      ticks = await ticksOf(lane, name);
      return stalled().length === 0;
    });
  } catch {
    return stalled().map((each) => `log: nothing arrives from ${each.name}`);
  }
  return [...ticks].flatMap(([host, counts]) => {
    const wrong = counts.findIndex((count, index) => count !== index + 1);
    return wrong === -1 ? [] : [`log: of ${host}, line ${wrong + 1} is tick ${counts[wrong]}`];
  });
}

/** A job that ran once and wrote two lines. */
export async function wrongJob({ world }: Lane, name: string): Promise<readonly string[]> {
  const isOver = ({ status }: Job) => (status?.conditions ?? []).length > 0;
  const job = await world.until(() => world.get("getJob", { name }), isOver);
  const instance = job.instance_names?.[0] ?? "";
  const lines = await world.get("getJobInstanceLogs", { name, instance });
  const told = JSON.stringify(lines.map((line) => line.replace(/^\S+ /u, "")));
  return [
    ...(job.status?.succeeded === 1 ? [] : [`job: ended as ${JSON.stringify(job.status)}`]),
    ...(job.restart_count === 0 ? [] : [`job: it was run ${(job.restart_count ?? 0) + 1} times`]),
    ...(lines.filter((line) => line.includes("one")).length === 1 &&
    lines.filter((line) => line.includes("two")).length === 1
      ? []
      : [`job: its log is ${told}`]),
  ];
}
