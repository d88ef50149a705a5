import { setImmediate as turn } from "node:timers/promises";
import type { Service } from "../../src/api/answers.ts";
import { openPolicy } from "./open-policy.ts";
import { operationOf } from "./operation-of.ts";
import { type World, world, type WorldOptions } from "./world.ts";

export type RolloutTown = World & {
  /** From now on, the workload API reports this of a service, beside its images and revisions. */
  readonly nowIs: (name: string, fields: object) => void;
  /** Its newest revision is rolled out and healthy. */
  readonly isWell: (name: string) => void;
  /** Its newest revision doesn't get ready. */
  readonly isStuck: (name: string, message: string) => void;
  readonly later: (seconds: number) => Promise<void>;
  /** Somebody else puts another image live. */
  readonly othersDeploy: (name: string, image: string) => void;
  /** The services that were changed, in order, with the image that runs since. */
  readonly writes: readonly string[];
  /** The services that went to a kept revision, in order, with its number. */
  readonly revisions: readonly string[];
};

const runs = { status: "Running", ready_instances: 3, target_instance_size: 3, restarts: { count: 0 } };

type Revisions = NonNullable<Service["revisions"]>;
type Kept = { readonly name: string; readonly image: string; readonly revision: number; readonly revisions: Revisions };

const begins = (name: string): Kept => {
  const image = `shop/${name}:1.4`;
  return { name, image, revision: 1, revisions: [{ revision: 1, images: [image], outcome: "done" }] };
};

/** A town whose workload API keeps revisions of these services, and reports a rollout as the test says. */
export async function rolloutTown(
  names: readonly string[],
  { via, ...options }: Omit<WorldOptions, "engine" | "apiFetch"> = {},
): Promise<RolloutTown> {
  const kept = new Map(names.map((name) => [name, begins(name)]));
  const more = new Map<string, object>();
  const writes: string[] = [];
  const wentTo: string[] = [];
  const reported = ({ image, ...each }: Kept): object => ({
    ...each,
    uid: `u-${each.name}`,
    containers: [{ name: each.name, image }],
    ...(more.get(each.name) ?? runs),
  });
  const revise = (service: Kept, image: string): void => {
    const revision = service.revision + 1;
    const revisions = [{ revision, images: [image] }, ...service.revisions];
    kept.set(service.name, { ...service, image, revision, revisions });
  };
  const update = async (service: Kept, request: Request): Promise<void> => {
    type Body = { containers?: { image?: string }[]; revision?: number; target_instance_size?: number };
    const body = (await request.json()) as Body; // of a deploy, a rollback or a scaling
    if (body.target_instance_size !== undefined) {
      const size = { target_instance_size: body.target_instance_size };
      return void more.set(service.name, { ...(more.get(service.name) ?? runs), ...size });
    }
    if (body.revision !== undefined) wentTo.push(`${service.name} ${body.revision}`);
    const back = service.revisions.find((each) => each.revision === body.revision)?.images?.[0];
    const image = body.containers?.[0]?.image ?? back ?? service.image;
    revise(service, image);
    writes.push(`${service.name} ${image.split(":")[1] ?? ""}`);
    const rollout = {
      from: service.revision,
      to: service.revision + 1,
      state: "progressing",
      ready: 0,
      target: 3,
      old_ready: 3,
    };
    more.set(service.name, { ...runs, status: "Updating", rollout });
  };
  const create = async (pathname: string, request: Request): Promise<Response> => {
    const name = /\/services\/([^/]+)/u.exec(pathname)?.[1] ?? "";
    const { containers = [] } = (await request.json()) as { containers?: { image?: string }[] }; // of a creation
    const made = { ...begins(name), image: containers[0]?.image ?? "none" };
    kept.set(name, made);
    return Response.json(reported(made));
  };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/healthz")) {
      const engine = { title: "Test", regions: [], updates: ["image", "env", "revision"] };
      return Response.json({ status: "ok", engine });
    }
    const op = operationOf(request);
    if (op === "listServices") return Response.json({ services: [...kept.values()].map(reported) });
    if (op === "listJobs") return Response.json({ jobs: [] });
    if (op === "getServiceLogs") return Response.json([{ instance_name: "web-0", log: "error: no database" }]);
    if (op === "createService") return create(pathname, request);
    const service = kept.get(/\/services\/([^/]+)/u.exec(pathname)?.[1] ?? "");
    if (service === undefined) return Response.json({ message: "there is none" }, { status: 404 });
    if (op === "updateService") await update(service, request);
    return Response.json(reported(kept.get(service.name) ?? service));
  };
  const apiFetch = via === undefined ? answer : (request: Request) => via(request, answer);
  const town = await world({ policy: openPolicy, wait: () => turn(), ...options, apiFetch });
  const rolloutOf = (name: string, fields: object): object => {
    const { revision = 1 } = kept.get(name) ?? {};
    return { rollout: { from: revision - 1, to: revision, target: 3, ...fields } };
  };
  const nowIs = (name: string, fields: object): void => void more.set(name, { ...runs, ...fields });
  return {
    ...town,
    nowIs,
    isWell: (name) => nowIs(name, rolloutOf(name, { state: "done", ready: 3, old_ready: 0 })),
    isStuck: (name, message) =>
      nowIs(name, {
        status: "Failed",
        message,
        ...rolloutOf(name, { state: "stuck", ready: 0, old_ready: 3, message }),
      }),
    othersDeploy(name, image) {
      const service = kept.get(name);
      if (service !== undefined) revise(service, image);
    },
    async later(seconds) {
      town.passMinutes(seconds / 60);
      await town.sweep();
    },
    writes,
    revisions: wentTo,
  };
}
