import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { finishedJob } from "./finished-job.ts";
import { listen } from "./listen.ts";
import { answerCalls } from "./remote.ts";

/** A workload API that answers at once, late, or not at all: a process of its own. */

type Size = { readonly services: number; readonly jobs: number };

const small: Size = { services: 12, jobs: 8 };

function listsOf(size: Size): { readonly services: string; readonly jobs: string } {
  const services = Array.from({ length: size.services }, (_, at) => service(at === 0 ? "web" : `service-${at}`, at));
  const jobs = Array.from({ length: size.jobs }, (_, at) => finishedJob(at));
  return {
    services: JSON.stringify({ region: "beijing1", services }),
    jobs: JSON.stringify({ region: "beijing1", jobs }),
  };
}

/** Some of them do not run, and one in fifty is in trouble. */
function statusOf(at: number): string {
  if (at % 50 === 49) return "Failed";
  return at % 5 === 4 ? "Stopped" : "Running";
}

function service(name: string, at: number): object {
  return {
    uid: `5e4c${at}`,
    name,
    created_at: "2026-11-20T09:30:00Z",
    status: statusOf(at),
    target_instance_size: 2,
    containers: [
      {
        name: "main",
        image: "gantry/hello-web",
        ports: [{ container_port: 80, protocol: "TCP" }],
        resources: { limits: { cpu: "1", memory: "512Mi" } },
      },
    ],
    port_mappings: [{ service_url: "127.0.0.1:40123", container_port: 80, protocol: "TCP" }],
    default_domain_name: `${name}.beijing1.example.com`,
    binding_domain_name: [],
  };
}

let lists = listsOf(small);
const web = JSON.stringify({ region: "beijing1", ...service("web", 0) });

const bodies: readonly { readonly method: string; readonly path: RegExp; readonly body: () => string }[] = [
  { method: "GET", path: /\/services$/u, body: () => lists.services },
  { method: "GET", path: /\/jobs$/u, body: () => lists.jobs },
  { method: "GET", path: /\/services\/web$/u, body: () => web },
  { method: "PUT", path: /\/services\/web\/restart$/u, body: () => "{}" },
];

let latencyMs = 0;
let requests = 0;
let stall: PromiseWithResolvers<void> | undefined;

async function answer(method: string, path: string): Promise<{ status: number; body: string }> {
  requests += 1;
  if (stall !== undefined) await stall.promise;
  if (latencyMs > 0) await sleep(latencyMs);
  const found = bodies.find((row) => row.method === method && row.path.test(path));
  return found === undefined
    ? { status: 404, body: JSON.stringify({ message: "no such thing" }) }
    : { status: 200, body: found.body() };
}

function write(response: ServerResponse, { status, body }: { status: number; body: string }): void {
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

const port = await listen((request, response) => {
  request.resume();
  answer(request.method ?? "", (request.url ?? "").split("?")[0] ?? "").then(
    (answered) => write(response, answered),
    (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
  );
});

const calls = {
  port: () => port,
  latency(ms: number) {
    latencyMs = ms;
  },
  /** From here on every request hangs, until `false` lets them all go on. */
  stall(on: boolean) {
    stall?.resolve();
    stall = on ? Promise.withResolvers<void>() : undefined;
  },
  /** How much runs there from now on; without a size as much as at first. */
  holds(size: Size | undefined) {
    lists = listsOf(size ?? small);
  },
  requests: () => requests,
};

export type WorkloadApiCalls = typeof calls;

answerCalls(calls);
