import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Client, listAll } from "./client.ts";
import type { Findings } from "./findings.ts";
import { describe, mayBeCutOff, wrongWith } from "./judge.ts";
import { requestNumber, type World } from "./requests.ts";
import type { ServiceProcess } from "../support/service-process.ts";
import { HOST_INSTANCES, regions, users } from "./service-process.ts";
import { processesOf } from "./counts.ts";

const CONNECTIONS = 8;
const LIST_EVERY = 250;
const LIST_MS = 10_000;
/** Those that are being stopped are alive beside the ones that follow them. */
const MOST_PROCESSES = 2 * HOST_INSTANCES + 10;
const WATCH_MS = 250;

export type Storm = {
  readonly service: ServiceProcess;
  readonly client: Client;
  readonly dataDir: string;
  readonly seed: number;
  readonly findings: Findings;
  /** Called before the request with this number. */
  readonly before: (index: number) => Promise<void>;
  /** Whether there are so many connections that the service closes new ones before their request has arrived. */
  readonly isCrowded: () => boolean;
};

/** Sends the requests with the numbers from `from` to `to`, several at a time. Resolves to false when the service died. */
export async function sendRequests(storm: Storm, { from, to }: { from: number; to: number }): Promise<boolean> {
  const { service, findings } = storm;
  const instances: string[] = [];
  const world: World = { users, regions, instances };
  const stopWatching = watchProcesses(storm);
  let next = from;

  async function sendOne(index: number): Promise<void> {
    const asked = requestNumber(index, storm.seed, world);
    // When a request times out, the crowd may be gone.
    const wasCrowded = storm.isCrowded();
    try {
      const answer = await storm.client.send(asked);
      findings.answered(asked.op, answer.status);
      const wrong = wrongWith(asked, answer);
      if (wrong !== undefined) findings.add(`request ${index}: ${wrong}\n      ${describe(asked)}`);
      remember(instances, answer.body);
    } catch (error) {
      if (mayBeCutOff(asked) || wasCrowded || storm.isCrowded() || (await isEnding(service))) return;
      findings.add(`request ${index} has no answer: ${messageOf(error)}\n      ${describe(asked)}`);
    }
  }

  async function work(): Promise<void> {
    while (next < to && service.ended() === undefined) {
      const index = next;
      next += 1;
      await storm.before(index);
      if (index % LIST_EVERY === 0) await checkLists(storm, `before request ${index}`);
      await sendOne(index);
    }
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  stopWatching();
  const ended = service.ended();
  if (ended !== undefined) findings.add(`the service died before request ${next}: ${ended}`);
  return ended === undefined;
}

export async function checkLists({ client, service, findings }: Storm, when: string): Promise<void> {
  const since = performance.now();
  try {
    await listAll(client);
    const ms = performance.now() - since;
    if (ms > LIST_MS) findings.add(`${when}: the lists took ${Math.round(ms)} ms`);
  } catch (error) {
    if (!(await isEnding(service))) findings.add(`${when}: ${messageOf(error)}`);
  }
}

/** A connection breaks a moment before the end of its process is known. */
async function isEnding(service: ServiceProcess): Promise<boolean> {
  for (let look = 0; look < 20 && service.ended() === undefined; look += 1) await pause(50);
  return service.ended() !== undefined;
}

/** Spares the machine: a service that starts far too many processes is ended. */
function watchProcesses({ service, dataDir, findings }: Storm): () => void {
  const timer = setInterval(() => {
    const count = processesOf(dataDir).length;
    if (count <= MOST_PROCESSES) return;
    clearInterval(timer);
    findings.add(`${count} processes run, although ${HOST_INSTANCES} instances may: the service was ended`);
    void service.kill();
  }, WATCH_MS);
  return () => clearInterval(timer);
}

/** Instances of jobs, so that their logs are asked for. */
function remember(instances: string[], body: string): void {
  const [, names = ""] = /"instance_names":\["([^"]+)"/.exec(body) ?? [];
  if (names === "") return;
  if (instances.length >= 20) instances.shift();
  instances.push(names);
}

/** Takes many connections without ever sending a request, and gives them back. */
export async function idleConnections(url: string, count: number): Promise<() => void> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => connect({ host: hostname, port: Number(port) }));
  await Promise.all(sockets.map(settled));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

function settled(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on("error", () => resolve()).on("close", () => resolve());
    socket.once("connect", () => resolve());
  });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
