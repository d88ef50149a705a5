import { z } from "zod";

/** The versions of services whose workload API runs nothing: on top of one that keeps none. */
export type Rollouts = {
  readonly fetch: (request: Request) => Promise<Response>;
  /** From now on, no other image of this service gets ready. */
  readonly breaks: (name: string) => void;
  /** From now on, or until now, none of its instances is ready. */
  readonly fails: (name: string, isFailing: boolean) => void;
  /** The image that runs, or is being rolled out. */
  readonly imageOf: (name: string) => string | undefined;
  /** The image of a kept revision. */
  readonly keptImage: (name: string, revision: number) => string | undefined;
  /** Deploys that came in while another service was still being rolled out. */
  readonly early: () => readonly string[];
};

type Fetch = (request: Request) => Promise<Response>;
type Version = { readonly revision: number; readonly image: string; readonly outcome?: string };
type Kept = { readonly versions: readonly Version[]; readonly from: number; readonly sinceMs: number };

const Named = z.looseObject({ name: z.string(), containers: z.array(z.looseObject({ image: z.string() })) });
const Listed = z.looseObject({ services: z.array(Named) });
const Update = z.looseObject({
  containers: z.array(z.looseObject({ image: z.string().optional() })).optional(),
  revision: z.number().optional(),
});

/** How long an instance takes, in the time of the machine. */
const READY_AFTER_MS = 250;
const INSTANCES = 2;

export function withRollouts(inner: Fetch): Rollouts {
  const kept = new Map<string, Kept>();
  const broken = new Map<string, string>();
  const failing = new Set<string>();
  const early: string[] = [];

  const rolloutOf = (name: string, { versions, from, sinceMs }: Kept) => {
    const [now] = versions;
    if (now === undefined || from === 0) return undefined;
    const passedMs = performance.now() - sinceMs;
    const counts = { from, to: now.revision, target: INSTANCES };
    const first = broken.get(name);
    if (first !== undefined && now.image !== first) {
      const state = passedMs < READY_AFTER_MS ? "progressing" : "stuck";
      return { ...counts, state, ready: 0, old_ready: INSTANCES, message: `there is no image ${now.image}` };
    }
    const ready = Math.min(INSTANCES, Math.floor(passedMs / READY_AFTER_MS));
    const state = ready < INSTANCES ? "progressing" : "done";
    return { ...counts, state, ready, old_ready: INSTANCES - ready };
  };
  const shown = (service: z.infer<typeof Named>): object => {
    const { name, containers } = service;
    const known = kept.get(name) ?? {
      versions: [{ revision: 1, image: containers[0]?.image ?? "", outcome: "done" }],
      from: 0,
      sinceMs: 0,
    };
    kept.set(name, known);
    const [now] = known.versions;
    const rollout = rolloutOf(name, known);
    const status = { progressing: "Updating", stuck: "Failed", done: undefined }[rollout?.state ?? "done"];
    return {
      ...service,
      containers: containers.map((container, at) => (at === 0 ? { ...container, image: now?.image } : container)),
      revision: now?.revision,
      revisions: known.versions.map(({ image, ...version }) => ({ ...version, images: [image] })),
      ...(rollout !== undefined && { rollout }),
      ...(status !== undefined && { status }),
      ...(rollout !== undefined && "message" in rollout && { message: rollout.message }),
      // On a node of its own: what fails for the same reason within a minute is one message.
      ...(failing.has(name) && { status: "Failed", ready_instances: 0, message: `lost node ${name}` }),
    };
  };
  const update = (name: string, { containers = [], revision }: z.infer<typeof Update>): void => {
    const before = kept.get(name);
    const [now] = before?.versions ?? [];
    const image = containers[0]?.image ?? before?.versions.find((each) => each.revision === revision)?.image;
    if (before === undefined || now === undefined || image === undefined) return;
    for (const [other, each] of kept) {
      const state = other === name ? "done" : (rolloutOf(other, each)?.state ?? "done");
      if (revision === undefined && state !== "done") early.push(`${name} while ${other} was ${state}`);
    }
    const versions = [{ revision: now.revision + 1, image }, ...before.versions];
    kept.set(name, { versions, from: now.revision, sinceMs: performance.now() });
  };

  return {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/healthz")) {
        const engine = {
          name: "process",
          title: "Nothing",
          regions: [],
          images: ["test/web"],
          updates: ["image", "env", "revision"],
        };
        return Response.json({ status: "ok", engine });
      }
      const name = /\/services\/([^/?]+)$/u.exec(pathname)?.[1];
      const isList = pathname.endsWith("/services");
      if (request.method === "DELETE" && name !== undefined) kept.delete(name);
      if (request.method === "PUT" && name !== undefined) {
        const body = Update.parse(await request.clone().json());
        if (body.revision !== undefined || body.containers?.some(({ image }) => image !== undefined) === true) {
          update(name, body);
          return decorated(await inner(new Request(request.url, { headers: request.headers })), shown);
        }
      }
      const answer = await inner(request);
      if (!answer.ok || (name === undefined && !isList) || request.method === "DELETE") return answer;
      if (!isList) return decorated(answer, shown);
      const { services, ...rest } = Listed.parse(await answer.json());
      return Response.json({ ...rest, services: services.map(shown) });
    },
    breaks: (name) => void broken.set(name, kept.get(name)?.versions[0]?.image ?? ""),
    fails: (name, isFailing) => void (isFailing ? failing.add(name) : failing.delete(name)),
    imageOf: (name) => kept.get(name)?.versions[0]?.image,
    keptImage: (name, revision) => kept.get(name)?.versions.find((each) => each.revision === revision)?.image,
    early: () => early.splice(0),
  };
}

async function decorated(answer: Response, shown: (service: z.infer<typeof Named>) => object): Promise<Response> {
  const service = answer.ok ? Named.safeParse(await answer.clone().json()).data : undefined;
  return service === undefined ? answer : Response.json(shown(service));
}
