import { listen, readBody } from "./listen.ts";
import { machineMs } from "./remote.ts";

/** The workload API of the crowd: services and jobs in memory, answered at once. */

type Service = { readonly name: string; size: number };

export const SCALED = 16;
/** A service grows by one instance with each scale, and begins again here. */
const LARGEST = 40;

export type Size = {
  readonly services: number;
  readonly jobs?: number;
  /** It doesn't report how many instances are ready, as the API's document needn't. */
  readonly isUncounted?: boolean;
};

/** As many as the rows about few workloads have. */
export const FEW: Size = { services: SCALED + 1 };

let services: Service[] = [];
/** All services keep crashing. */
let isFailing = false;
let isCounted = true;

export function hold({ services: count, jobs = 0, isUncounted = false }: Size): void {
  isCounted = !isUncounted;
  services = Array.from({ length: count }, (_, at) => ({ name: at === 0 ? "web" : `svc-${at}`, size: 2 }));
  jobList = JSON.stringify({ region: "beijing1", jobs: Array.from({ length: jobs }, (_, at) => finishedJob(at)) });
}

function wire({ name, size }: Service): object {
  return {
    uid: `u-${name}`,
    name,
    created_at: "2026-11-20T09:30:00Z",
    status: "Running",
    target_instance_size: size,
    ...(isCounted && { ready_instances: isFailing ? 0 : size }),
    ...(isFailing && { restarts: { count: 4 }, last_state: { reason: "Error", exit_code: 1 } }),
    containers: [
      {
        name: "main",
        image: "gantry/hello-web",
        ports: [{ container_port: 80, protocol: "TCP" }],
        resources: { limits: { cpu: "1", memory: "512Mi" } },
      },
    ],
    port_mappings: [],
    default_domain_name: `${name}.beijing1.example.com`,
    binding_domain_name: [],
  };
}

function finishedJob(at: number): object {
  return {
    metadata: {
      name: `job-${at}`,
      namespace: "bench",
      uid: `10b0${at}`,
      creationTimestamp: "2026-11-20T08:00:00Z",
      labels: { team: "bench" },
    },
    spec: { parallelism: 1, completions: 1 },
    status: { startTime: "2026-11-20T08:00:01Z", completionTime: "2026-11-20T08:04:01Z", succeeded: 1 },
  };
}

let jobList = "";
hold(FEW);

let listed: { readonly of: Service[]; readonly text: string } | undefined;

/** Made once per list: otherwise writing it takes longer than reading it. */
function listOf(): string {
  if (listed?.of !== services || services.length <= FEW.services) {
    listed = { of: services, text: JSON.stringify({ region: "beijing1", services: services.map(wire) }) };
  }
  return listed.text;
}

const LOG = JSON.stringify(
  Array.from({ length: 20 }, (_, at) => ({ instance_name: "web-0", log: `2026-11-20T09:30:00Z INFO request ${at}` })),
);

function apiAnswer(method: string, path: string, body: string): string | undefined {
  if (path.endsWith("/services")) {
    counted.listedAtMs ||= machineMs();
    return listOf();
  }
  if (path.endsWith("/jobs")) return jobList;
  if (path.endsWith("/logs")) return LOG;
  const name = /\/services\/([a-z0-9-]+)$/u.exec(path)?.[1];
  const service = services.find((each) => each.name === name);
  if (service === undefined) return undefined;
  if (method !== "GET") service.size = Number(JSON.parse(body).target_instance_size ?? service.size);
  return JSON.stringify({ region: "beijing1", ...wire(service) });
}

/** Calls of the API since the start, and when a list first showed that the services crash, or no longer do. */
export const counted = { calls: 0, listedAtMs: 0 };

export const apiPort = await listen((request, response) => {
  async function answer(): Promise<void> {
    if (request.url?.startsWith("/v1/") === true) counted.calls += 1;
    const text = apiAnswer(request.method ?? "", (request.url ?? "").split("?")[0] ?? "", await readBody(request));
    response.writeHead(text === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(text ?? JSON.stringify({ message: "no such thing" }));
  }
  answer().catch(() => response.destroy());
});

export function setFailing(on: boolean): void {
  isFailing = on;
  counted.listedAtMs = 0;
  listed = undefined;
}

/** The size that a service is scaled to next. Throws when there is none of this name. */
export function nextSize(name: string): number {
  const service = services.find((each) => each.name === name);
  if (service === undefined) throw new Error(`there is no ${name}`);
  if (service.size >= LARGEST) service.size = 2;
  return service.size + 1;
}
