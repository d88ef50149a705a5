import type { AskedBy } from "../api/extension-headers.ts";
import type { Answer, Call, OperationId } from "../api/operations.ts";
import type { NewJob, NewService, ServiceUpdate } from "../api/schema.ts";

export type ChangesRequest = {
  readonly username: string;
  readonly region: string;
  /** Of the last answer; undefined for the first request. */
  readonly after: string | undefined;
  /** How long to wait for a change. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
};

/** See docs/events.openapi.yaml. */
export type Changes = { readonly cursor: string; readonly changed: readonly ("service" | "job")[] };

/** The authenticated account of a request. An engine shows and changes only this user's workloads. */
export type User = { readonly username: string };

/**
 * A Call without its `op`, validated against `openapi.yaml`, with its user. Regions, names, dates and sizes have the
 * documented form; the engine decides whether they exist. `signal` aborts when the client is gone or the server stops:
 * a handler that waits gives up then, and a write that has not begun is not begun.
 */
export type EngineRequest<Op extends OperationId> = Omit<Call<Op>, "op"> & {
  readonly user: User;
  readonly signal: AbortSignal;
  /** As the client says it, of a write. Only for notes: it proves nothing. */
  readonly asked?: Partial<AskedBy>;
  /** Tells the client what the cluster warns of, of a write that is accepted. */
  readonly warn?: (warning: string) => void;
};

/**
 * A handler for each operation of `openapi.yaml`; a missing or mistyped one does not compile. It resolves to the body
 * of the 200 answer or throws a `Refusal`. Any other error is a bug and becomes a 500.
 */
export type Engine = {
  readonly [Op in OperationId]: (request: EngineRequest<Op>) => Promise<Answer<Op>>;
};

/** The engine, with something done around each of its operations. */
export function aroundEach(engine: Engine, around: Around): Engine {
  const entries = Object.entries(engine).map(([name, run]) => {
    const op = name as OperationId; // the engine has the operations
    const handle = run as (request: AnyRequest) => Promise<unknown>; // each takes its own
    return [op, (request: AnyRequest) => around(() => handle(request), { op, request })];
  });
  return Object.fromEntries(entries) as Engine; // the same operations
}

type AnyRequest = Pick<EngineRequest<"listJobs">, "user" | "path">;
type Around = (run: () => Promise<unknown>, of: { op: OperationId; request: AnyRequest }) => Promise<unknown>;

/** The statuses an engine may refuse with; those of routing, authentication and validation belong to `serve`. */
export type RefusalStatus = 400 | 403 | 404 | 409 | 429 | 503;

type RefusalOptions = ErrorOptions & {
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** What the name is, of which there is no workload: sentences. */
  readonly instead?: string | undefined;
};

/** Refuses a request with a sentence for its user. The `cause` is logged and never sent to the client. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: RefusalStatus;
  readonly retryAfterSeconds: number | undefined;
  readonly instead: string | undefined;

  constructor(status: RefusalStatus, message: string, { retryAfterSeconds, instead, ...options }: RefusalOptions = {}) {
    super(message, options);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
    this.instead = instead;
  }
}

/**
 * Parts of a request that an engine may be unable to honour: what people call them, and where they are in a body.
 * An engine has one table of its limits (`Limit`); it is asked before anything is started, shown by `/healthz` and
 * `/gantry whoami`, and printed in docs/kubernetes.md and docs/docker.md.
 */
export const features = {
  images: { words: "images outside its catalogue", field: "containers[].image" },
  pullAlways: { words: "pulling an image each time", field: "containers[].pull_always" },
  memory: { words: "exact memory limits", field: "containers[].resources.limits.memory" },
  mountPaths: { words: "mount paths", field: "containers[].volumeMounts[].mountPath" },
  localhost: { words: "containers of an instance on one localhost", field: "containers" },
  ports: { words: "ports reachable from outside", field: "port_mappings" },
  domains: { words: "custom domains", field: "binding_domain_name" },
  disks: { words: "new disks", field: "volumes[].disk_name" },
  sharedDisks: { words: "disks shared by several instances", field: "volumes[].disk_name" },
  readOnlyDisks: { words: "read-only disks", field: "volumes[].is_read_only" },
  jobVolumes: { words: "volumes of jobs", field: "volumes" },
  timezone: { words: "the host's time zone", field: "sync_timezone" },
} as const satisfies Readonly<Record<string, { readonly words: string; readonly field: string }>>;

export type Feature = keyof typeof features;

export type Limit = {
  readonly feature: Feature;
  /**
   * `refused`: a request that asks for it is a 400 before anything is started, see `refusingIncapable`. `kept`: it is
   * accepted, stored and shown, and has no effect. `partly`: `why` says what is different; the engine refuses the rest.
   */
  readonly effect: "refused" | "kept" | "partly";
  /** Why, and what to do if something helps: a clause that ends a sentence, without its full stop. */
  readonly why: string;
};

export type RegionAbout = {
  readonly name: string;
  /** Of what runs the workloads here: `v1.20.2`. Undefined while it can't be reached. */
  readonly version: string | undefined;
  /** Whether services run here. */
  readonly services: boolean;
  /** Whether jobs run here. */
  readonly jobs: boolean;
  readonly cannot: readonly Limit[];
  /** Why its workloads can't be read now, or not all of them, and since when: a sentence. */
  readonly problem?: string | undefined;
};

/** An engine's description of itself. It contains no secrets or addresses, so anybody may read it. */
export type EngineAbout = {
  /** As SERVICE_ENGINE has it. */
  readonly name: string;
  /** For people: `Kubernetes`. */
  readonly title: string;
  readonly regions: readonly RegionAbout[];
  /** What an update takes beyond the API's document: see ServiceUpdate in openapi.yaml. */
  readonly updates: readonly ("image" | "env" | "revision")[];
  /** Repositories of the only images that it runs, with any tag; undefined when it runs any image. */
  readonly images?: readonly string[] | undefined;
};

export type Readiness = { readonly ok: true } | { readonly ok: false; readonly reason: string };

export type OpenedEngine = {
  readonly engine: Engine;
  /** Whether requests can be served now; for the health check. */
  readonly ready: () => Readiness;
  /** Its name, what each region can't do, and why one can't be read; for `/healthz`. It costs no request and never throws. */
  readonly about: () => EngineAbout;
  /** Tells which lists of a user changed in a region. Throws a `Refusal` for an unknown region. */
  readonly changes: (request: ChangesRequest) => Promise<Changes>;
  /** Answers all that wait for changes, so that a server can stop. */
  readonly endWaits: () => void;
  /** Whether workloads can run on while no server runs. */
  readonly keepsWorkloads: boolean;
  /**
   * Finishes accepted requests, stops the workloads and resolves when they are gone. Services run again with the next
   * server on this data folder. With `keepWorkloads` they are left running and the next server adopts them; an engine
   * whose `keepsWorkloads` is false stops them anyway. Idempotent: the first call decides.
   */
  readonly close: (options?: { readonly keepWorkloads?: boolean }) => Promise<void>;
  /** Notices for the operator, as sentences. */
  readonly notices: readonly string[];
};

type Limited = { readonly title: string; readonly cannotIn: (region: string) => readonly Limit[] };

/** Makes an engine answer 400 to requests for unsupported features, before anything starts. */
export function refusingIncapable(engine: Engine, { title, cannotIn }: Limited): Engine {
  const check = ({ region }: { readonly region: string }, asked: Asked): void => {
    for (const limit of cannotIn(region)) {
      const place = asked[limit.feature];
      if (limit.effect === "refused" && place !== undefined) throw incapable(limit, { title, region, place });
    }
  };
  return {
    ...engine,
    async createJob(request) {
      check(request.path, newJob(request.body));
      return await engine.createJob(request);
    },
    async createService(request) {
      check(request.path, newService(request.body));
      return await engine.createService(request);
    },
    async updateService(request) {
      check(request.path, domains(request.body));
      return await engine.updateService(request);
    },
  };
}

type Where = { readonly title: string; readonly region: string; readonly place?: string };

/** The 400 for a feature that the engine lacks. Engines use it too, for limits that depend on more than the body. */
export function incapable({ feature, why }: Pick<Limit, "feature" | "why">, { title, region, place }: Where): Refusal {
  const { words, field } = features[feature];
  const what = `the ${title} engine can't honour ${place ?? field} (${words}) in ${region}`;
  return new Refusal(400, `${what}: ${why}. Nothing was changed.`);
}

/** The first place in a body that asks for each feature. */
type Asked = Readonly<Partial<Record<Feature, string | undefined>>>;

function newJob({ containers = [], volumes = [], sync_timezone: timezone }: NewJob): Asked {
  return {
    pullAlways: placeIn(containers, "containers[].pull_always", (each) => each.pull_always === true),
    mountPaths: mountIn(containers),
    jobVolumes: volumes.length > 0 ? "volumes" : undefined,
    timezone: timezone === true ? "sync_timezone" : undefined,
  };
}

function newService(body: NewService): Asked {
  const { containers, volumes = [], port_mappings: ports = [], sync_timezone: timezone } = body;
  return {
    mountPaths: mountIn(containers),
    ...domains(body),
    ports: ports.length > 0 ? "port_mappings" : undefined,
    disks: volumes.length > 0 ? "volumes[0].disk_name" : undefined,
    readOnlyDisks: placeIn(volumes, "volumes[].is_read_only", (each) => each.is_read_only === true),
    timezone: timezone === true ? "sync_timezone" : undefined,
  };
}

function domains({ binding_domain_name: names = [] }: Pick<ServiceUpdate, "binding_domain_name">): Asked {
  return { domains: names.length > 0 ? "binding_domain_name" : undefined };
}

function mountIn(containers: readonly { readonly volumeMounts?: readonly unknown[] }[]): string | undefined {
  const field = "containers[].volumeMounts[0].mountPath";
  return placeIn(containers, field, ({ volumeMounts = [] }) => volumeMounts.length > 0);
}

function placeIn<Item>(items: readonly Item[], field: string, asks: (item: Item) => boolean): string | undefined {
  const index = items.findIndex(asks);
  return index < 0 ? undefined : field.replace("[]", `[${index}]`);
}
