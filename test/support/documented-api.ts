import { z } from "zod";

/** How a workload API may differ within its document, which leaves much open. */
export type Habits = {
  /** Fields that its answers leave out, as paths: `binding_domain_name`, `containers.resources`. */
  readonly leavesOut?: readonly string[];
  /** An accepted write shows only after the workload was read this many times. */
  readonly lateReads?: number;
  /** Its own words of status: `Running` and `Stopped` in other letters or as synonyms. */
  readonly words?: (status: string) => string;
  /** Errors, and answers whose body the document doesn't describe, are text. */
  readonly speaksText?: boolean;
  /** The only spelling of memory limits that an update may have; any other is a 400. */
  readonly resourcesKey?: "resources" | "resource";
};

type Json = Readonly<Record<string, unknown>>;
type Write = { readonly request: string; readonly body: unknown };

export type DocumentedApi = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Every write that it accepted, oldest first. */
  readonly writes: readonly Write[];
  /** What it refused because the document doesn't have it. A missing workload isn't among these. */
  readonly refused: readonly string[];
  /** The domains of a service as they really are, whatever the answers leave out. */
  readonly domainsOf: (name: string) => readonly string[];
  /** What it was asked and what is left of a service's memory, size and status. */
  readonly service: (name: string) => Json | undefined;
};

const LIMITS = [256, 512, 1024, 2048];
const nameValue = z.strictObject({ name: z.string(), value: z.string() });
const containerPort = z.strictObject({ port: z.int(), protocol: z.string().regex(/^[A-Z]+$/u) });
const mount = z.strictObject({ name: z.string(), mountPath: z.string() });

/** The containers of a request body; a job's memory has a unit, a service's is a number in a string. */
function containers(memory: RegExp, more: z.ZodRawShape) {
  return z.array(
    z.strictObject({
      image: z.string(),
      command: z.array(z.string()).optional(),
      env: z.array(nameValue).optional(),
      ports: z.array(containerPort).optional(),
      resources: z.strictObject({ limits: z.strictObject({ memory: z.string().regex(memory) }) }).optional(),
      volumeMounts: z.array(mount).optional(),
      ...more,
    }),
  );
}

const JobBody = z.strictObject({
  containers: containers(/^\d+(?:Ki|Mi|Gi)$/u, { pull_always: z.boolean().optional() }),
  volumes: z.array(z.strictObject({ name: z.string(), type: z.string() })).optional(),
  sync_timezone: z.boolean().optional(),
});

const ServiceBody = z.strictObject({
  target_instance_size: z.int().optional(),
  containers: containers(/^\d+$/u, {}),
  port_mappings: z
    .array(z.strictObject({ container_port: z.int(), protocol: z.string().regex(/^[a-z]+$/u) }))
    .optional(),
  volumes: z
    .array(z.strictObject({ name: z.string(), disk_name: z.string(), is_read_only: z.boolean().optional() }))
    .optional(),
  sync_timezone: z.boolean().optional(),
  binding_domain_name: z.array(z.string()).optional(),
});

const limits = z.strictObject({ limits: z.strictObject({ memory: z.int().refine((mib) => LIMITS.includes(mib)) }) });
const updateBody = (key: "resources" | "resource") =>
  z.strictObject({
    target_instance_size: z.int().min(0).optional(),
    containers: z.array(z.strictObject({ name: z.string().optional(), [key]: limits.optional() })).optional(),
    binding_domain_name: z.array(z.string()).optional(),
  });

const LogQuery = z.strictObject({
  date: z.string().regex(/^\d{4}\.\d{2}\.\d{2}$/u),
  from: z.string().regex(/^\d+$/u),
  size: z.string().regex(/^\d+$/u),
});

type Kept = { fields: Json; late: { apply: (kept: Kept) => void; reads: number }[]; isGone: boolean };

class Answer extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * A workload API that does what its document says and nothing more: none of our own service's extensions, and whatever
 * the document doesn't have is refused. It begins with these services, each of which has two domains.
 */
export function documentedApi(habits: Habits = {}, names: readonly string[] = ["two"]): DocumentedApi {
  const { lateReads = 0, words = (status: string) => status, leavesOut = [], speaksText = false } = habits;
  const { resourcesKey = "resources" } = habits;
  const services = new Map<string, Kept>();
  const jobs = new Map<string, Kept>();
  const writes: Write[] = [];
  const refused: string[] = [];
  let made = 0;

  function keep(name: string, fields: Json): Kept {
    const kept: Kept = { fields, late: [], isGone: false };
    services.set(name, kept);
    return kept;
  }

  for (const name of names) {
    keep(name, {
      ...identity(name),
      status: "Running",
      target_instance_size: 2,
      containers: [
        {
          name: "web",
          image: "gantry/hello-web",
          command: [],
          env: [{ name: "MODE", value: "prod" }],
          ports: [{ container_port: 8080, protocol: "TCP" }],
          resources: { limits: { memory: "512" } },
          volumeMounts: [],
          imagePullPolicy: "IfNotPresent",
        },
      ],
      port_mappings: [{ service_url: `${name}-dana.example.com:8080`, container_port: 8080, protocol: "tcp" }],
      volumes: [],
      default_domain_name: `${name}-dana.example.com:8080`,
      binding_domain_name: ["a.example.com", "b.example.com"],
    });
  }

  function identity(name: string): Json {
    made += 1;
    return { region: "beijing1", uid: `uid-${made}`, name, created_at: "2026-11-20T08:00:00Z" };
  }

  /** Each look brings a late write closer. */
  function look(kept: Kept): void {
    for (const each of kept.late) each.reads -= 1;
    const due = kept.late.filter(({ reads }) => reads < 0);
    kept.late = kept.late.filter(({ reads }) => reads >= 0);
    for (const { apply } of due) apply(kept);
  }

  function later(kept: Kept, apply: (kept: Kept) => void): void {
    if (lateReads === 0) apply(kept);
    else kept.late.push({ apply, reads: lateReads });
  }

  function read(kept: Kept): Json {
    look(kept);
    const { status, ...rest } = kept.fields;
    return without({ ...rest, ...(typeof status === "string" && { status: words(status) }) }, leavesOut);
  }

  function found(map: Map<string, Kept>, name: string): Kept {
    const kept = map.get(name);
    if (kept === undefined || kept.isGone) throw new Answer(404, `${name} not found`);
    return kept;
  }

  /** A list is a look at each of its items. */
  function all(map: Map<string, Kept>): Json[] {
    return [...map.values()].flatMap((kept) => {
      const fields = kept.isGone ? undefined : read(kept);
      return fields === undefined || kept.isGone ? [] : [fields];
    });
  }

  function one(map: Map<string, Kept>, name: string): Json {
    const kept = found(map, name);
    const fields = read(kept);
    return kept.isGone ? one(map, name) : fields;
  }

  function createService(name: string, body: z.output<typeof ServiceBody>): Json {
    const { sync_timezone: _ignored, ...wanted } = body;
    const address = `${name}-dana.example.com:8080`;
    const stored = {
      target_instance_size: 1,
      volumes: [],
      binding_domain_name: [],
      ...wanted,
      containers: wanted.containers.map(({ ports = [], ...container }) => ({
        name,
        ...container,
        ports: ports.map(({ port, protocol }) => ({ container_port: port, protocol })),
      })),
      port_mappings: (wanted.port_mappings ?? []).map((each) => ({ service_url: address, ...each })),
      default_domain_name: address,
    };
    keep(name, { ...identity(name), status: "Running", ...stored });
    return { name, ...stored, containers: wanted.containers };
  }

  function createJob(name: string, { containers: wanted }: z.output<typeof JobBody>): Json {
    made += 1;
    const job = {
      metadata: { name, namespace: "dana", uid: `uid-${made}`, creationTimestamp: "2026-11-20T08:00:00Z" },
      spec: {
        parallelism: 1,
        completions: 1,
        template: { spec: { containers: wanted.map((each) => ({ name, ...each })) } },
      },
      status: {},
    };
    jobs.set(name, { fields: { instance_names: [`${name}-x7k2p`], ...job }, late: [], isGone: false });
    const complete = { type: "Complete", status: "True", lastTransitionTime: "2026-11-20T08:00:09Z" };
    const status = {
      conditions: [complete],
      startTime: "2026-11-20T08:00:01Z",
      completionTime: "2026-11-20T08:00:09Z",
      succeeded: 1,
    };
    found(jobs, name).late.push({
      apply: (kept) => void (kept.fields = { ...kept.fields, status }),
      reads: 2 + lateReads,
    });
    return job;
  }

  function update(name: string, body: z.output<ReturnType<typeof updateBody>>): void {
    later(found(services, name), (kept) => {
      const { containers: changed, ...rest } = body;
      const old = kept.fields["containers"] as Json[]; // it was made above
      const now = old.map((container, at) => {
        const wanted = changed?.[at]?.[resourcesKey] as z.output<typeof limits> | undefined; // one key of the schema
        return wanted === undefined
          ? container
          : { ...container, resources: { limits: { memory: String(wanted.limits.memory) } } };
      });
      kept.fields = { ...kept.fields, ...rest, containers: now };
    });
  }

  function power(name: string, move: string): void {
    const kept = found(services, name);
    // Nothing shows a restart.
    const status = { start: "Running", stop: "Stopped" }[move];
    if (status !== undefined) later(kept, () => void (kept.fields = { ...kept.fields, status }));
  }

  function remove(map: Map<string, Kept>, name: string): void {
    later(found(map, name), (kept) => void (kept.isGone = true));
  }

  async function bodyOf<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.output<Schema>> {
    const type = request.headers.get("content-type") ?? "";
    if (!type.startsWith("application/json")) throw new Answer(400, `unsupported content type ${type}`);
    return checked(await request.json(), schema);
  }

  function checked<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema> {
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    throw new Answer(400, `bad request: ${read.error.issues[0]?.message ?? "invalid"}`);
  }

  function logQuery(url: URL): number {
    return Number(checked(Object.fromEntries(url.searchParams), LogQuery).from);
  }

  async function answer(request: Request): Promise<unknown> {
    const url = new URL(request.url);
    const [, region = "", kind, name = "", rest = ""] =
      /^\/v1\/regions\/([^/]+)\/(jobs|services)(?:\/([^/]+)(?:\/(.+))?)?$/u.exec(url.pathname) ?? [];
    if (kind === undefined) throw new Answer(404, "no such page");
    if ((request.headers.get("username") ?? "") === "") throw new Answer(401, "username is missing");
    if (!/^token \S+$/u.test(request.headers.get("authorization") ?? "")) throw new Answer(401, "token is missing");
    if (kind === "jobs" && region !== "us") throw new Answer(400, "jobs can be run only in us");
    const what = `${request.method} ${kind} ${name === "" ? "" : "NAME"} ${rest}`.replaceAll(/ +/gu, " ").trim();
    switch (what) {
      case "GET jobs":
        return { jobs: all(jobs).map(({ instance_names: _detail, ...job }) => job) };
      case "GET jobs NAME":
        return one(jobs, name);
      case "POST jobs NAME":
        return { job: createJob(name, await bodyOf(request, JobBody)) };
      case "DELETE jobs NAME":
        remove(jobs, name);
        return { jobName: name };
      case "GET services":
        return { region, services: all(services).map(({ region: _detail, ...service }) => service) };
      case "GET services NAME":
        return one(services, name);
      case "POST services NAME":
        return createService(name, await bodyOf(request, ServiceBody));
      case "PUT services NAME":
        update(name, await bodyOf(request, updateBody(resourcesKey)));
        return speaksText ? "updated" : {};
      case "DELETE services NAME":
        remove(services, name);
        return speaksText ? "Service was deleted successfully" : { message: "Service was deleted successfully" };
      case "PUT services NAME start":
      case "PUT services NAME stop":
      case "PUT services NAME restart":
        power(name, rest);
        return speaksText ? "ok" : {};
      case "GET services NAME logs":
        found(services, name);
        return logQuery(url) > 0 ? [] : [{ instance_name: `${name}-1`, log: "GET /orders 200" }];
      case `GET jobs NAME instances/${name}-x7k2p/logs`:
        found(jobs, name);
        return logQuery(url) > 0 ? [] : ["exported 12 rows"];
      default:
        throw new Answer(405, "method not allowed");
    }
  }

  return {
    writes,
    refused,
    domainsOf: (name) => z.array(z.string()).parse(services.get(name)?.fields["binding_domain_name"]),
    service: (name) => services.get(name)?.fields,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const path = `${request.method} ${pathname.replace(/^\/v1\/regions\/[^/]+/u, "")}`;
      const sent = request.clone();
      try {
        const body = await answer(request);
        if (request.method !== "GET") writes.push({ request: path, body: jsonOf(await sent.text()) });
        return typeof body === "string" ? new Response(body) : Response.json(body);
      } catch (error) {
        if (!(error instanceof Answer)) throw error;
        const { status, message } = error;
        if (status !== 404) refused.push(`${path}: ${message}`);
        return speaksText ? new Response(message, { status }) : Response.json({ message }, { status });
      }
    },
  };
}

function jsonOf(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

/** The fields without those at these paths; a path goes through each item of a list. */
function without(fields: Json, paths: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]): [string, unknown][] => {
      if (paths.includes(key)) return [];
      const inner = paths.flatMap((path) => (path.startsWith(`${key}.`) ? [path.slice(key.length + 1)] : []));
      if (inner.length === 0 || typeof value !== "object" || value === null) return [[key, value]];
      if (!Array.isArray(value)) return [[key, without(value as Json, inner)]]; // an object of JSON
      return [[key, value.map((item: Json) => without(item, inner))]];
    }),
  );
}
