import type { Clock } from "../../../../platform/clock.ts";
import { Refusal, type User } from "../../../engine.ts";
import { type CachedKind, jobKinds, serviceKinds } from "../cache/namespace-cache.ts";
import { isDenied } from "../cluster/refusal-of.ts";
import { KubeError, missingRightOf } from "../cluster/kube-api.ts";
import type { Region } from "../regions.ts";
import { leftOut, type LeftOut } from "../region-namespaces.ts";
import { type Reading, type FoundService, findServices } from "./services.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import { labels } from "../names.ts";
import { adopter, controllerOf, isGantrys } from "./owner.ts";
import { findJobs } from "./jobs.ts";

type Asked = { readonly user: User; readonly path: { readonly region: string }; readonly signal: AbortSignal };

/** A region, and the user's namespaces in it. */
export type Place = {
  readonly region: Region;
  readonly reading: Reading;
  /** All of the user's namespaces, also those that can't be read. New workloads are made in the first. */
  readonly names: readonly [string, ...string[]];
  readonly leftOut: readonly LeftOut[];
  /** The signal of the request, aborted after so many milliseconds: an answer waits no longer for what only explains it. */
  readonly patience: (ms: number) => AbortSignal;
};

/** Dependencies of the read operations. */
export type ReadParts = {
  readonly regions: ReadonlyMap<string, Region>;
  readonly clock: Pick<Clock, "now" | "limit">;
};

/**
 * Where the user's services of a region are, once their cache is current. Throws a `Refusal` 400 for an unknown region,
 * 403 for a user without a namespace there, and 503 when the cluster can't be asked.
 */
export async function servicePlace(parts: ReadParts, asked: Asked): Promise<Place> {
  const region = regionOf(parts, asked.path.region, [...parts.regions.keys()]);
  return await currentPlace(parts, asked, region, serviceKinds(region.config));
}

/** The same for jobs, which run in some of the regions. */
export async function jobPlace(parts: ReadParts, asked: Asked): Promise<Place> {
  const { region: name } = asked.path;
  const withJobs = [...parts.regions].filter(([, { config }]) => config.jobs).map(([region]) => region);
  if (parts.regions.has(name) && !withJobs.includes(name)) {
    const where = withJobs.length > 0 ? `use ${withJobs.join(", ")}` : "no region is configured to run jobs";
    throw new Refusal(400, `jobs don't run in the region ${name}: ${where}`);
  }
  const region = regionOf(parts, name, withJobs);
  return await currentPlace(parts, asked, region, jobKinds(region.config));
}

/** Throws a `Refusal` 400 for an unknown region, with the `names` of those that can be used. */
export function regionOf({ regions }: Pick<ReadParts, "regions">, name: string, names: readonly string[]): Region {
  const region = regions.get(name);
  if (region) return region;
  throw new Refusal(400, `unknown region ${name}: use ${names.join(", ")}`);
}

/** Throws a `Refusal` 403 for a user without a namespace there. */
export async function namespacesOf({ config, namespaces }: Region, username: string, signal: AbortSignal) {
  const known = await namespaces.of(username, signal);
  if (known) return known;
  throw new Refusal(403, `${username} has no namespace in the region ${config.region}: ask your Gantry admin for one`);
}

async function currentPlace(
  { clock }: ReadParts,
  { user, signal }: Asked,
  region: Region,
  kinds: readonly CachedKind[],
): Promise<Place> {
  const { username } = user;
  const { config, cacheOf, namespaces } = region;
  const known = await namespacesOf(region, username, signal);
  const { names } = known;
  const denied = new Map<string, Refusal>();
  const left = new Set<string>();
  const read = async (namespace: string): Promise<void> => {
    try {
      await cacheOf(namespace).current(kinds, signal);
    } catch (error) {
      // Its labels have changed since.
      const isNamed = config.namespacesOf(username)?.names.includes(namespace) === true;
      if (!isNamed && !namespaces.all().includes(namespace)) return void left.add(namespace);
      // It would be the whole answer, or the same for all of them.
      if (names.length === 1 || !(error instanceof Refusal) || !isDenied(error.cause)) throw error;
      denied.set(namespace, error);
    }
  };
  await Promise.all(names.map(read));
  // In their order, whichever answered first.
  const unread = names.flatMap((name) => {
    const refusal = denied.get(name);
    return refusal ? [[name, refusal] as const] : [];
  });
  const [[, refusal] = []] = unread;
  if (refusal && unread.length === names.length) throw refusal;
  const readable = names.filter((name) => !denied.has(name) && !left.has(name));
  const evidence = await region.evidenceIn(readable);
  const gone = names.length === 1 ? [] : await goneOf(region, readable, kinds);
  return {
    region,
    reading: { namespaces: readable, username, now: clock.now(), ...evidence },
    names,
    leftOut: [
      ...known.leftOut,
      ...[...Map.groupBy(unread, ([, refusal]) => whyDenied(refusal))].flatMap(([why, of]) =>
        leftOut(
          of.map(([namespace]) => namespace),
          { why, mayHold: true },
        ),
      ),
      ...leftOut(gone, { why: GONE, mayHold: false }),
    ],
    patience: (ms) => AbortSignal.any([signal, clock.limit(ms)]),
  };
}

/** Lists of a namespace that isn't there are empty, so those without anything are looked for. */
async function goneOf(
  { cacheOf, namespaces }: Region,
  names: readonly string[],
  kinds: readonly CachedKind[],
): Promise<readonly string[]> {
  const empty = names.filter((name) => kinds.every((kind) => cacheOf(name).all(kind).length === 0));
  const gone = await Promise.all(empty.map((name) => namespaces.isGone(name)));
  return empty.filter((_, at) => gone[at] === true);
}

function whyDenied({ message, cause }: Refusal): string {
  const right = cause instanceof KubeError ? missingRightOf(cause) : undefined;
  if (!right) return message.replace(/^Couldn't [^:]*: /u, "").replace(" Nothing was changed.", "");
  return `Gantry's account may not ${right.verb} ${right.resource} there. Give it the Role of docs/kubernetes-role.yaml.`;
}

const GONE = "the cluster has no such namespace. Create it with kubectl, or change SERVICE_CLUSTERS.";

/** For the answer about a service: a namespace says something only where there are several. */
export function namespaceField({ names }: Pick<Place, "names">, { source }: FoundService) {
  return names.length === 1 ? {} : { namespace: source.object.metadata.namespace };
}

/**
 * The refusal for a name that no workload of the place has: 404, unless one may be in a namespace that can't be read. A
 * workload that only isn't seen must not be taken for one that was deleted.
 */
export function notFound(
  place: Pick<Place, "leftOut">,
  text: string,
  options: { readonly instead?: string | undefined } = {},
): Refusal {
  const unseen = place.leftOut.filter(({ mayHold }) => mayHold).map(({ sentences }) => sentences);
  if (unseen.length === 0) return new Refusal(404, text, options);
  return new Refusal(503, `${text}. It may be in a namespace that isn't listed. ${unseen.join(" ")}`);
}

type Where = Pick<Place, "reading"> & { readonly region: Pick<Region, "api" | "config" | "cacheOf"> };

const PATIENCE_MS = 1_500;

const MOST_ASKED = 5;

/** Kinds that Gantry runs or adopts. */
const RUN = ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"] as const;

/**
 * What a name is that no service and no job has, as sentences: an Argo Rollout, a ReplicaSet or a pod. Undefined if it isn't
 * any of them, or if that can't be read: the rights are optional. Costs at most two requests for each of the first namespaces; never rejects.
 */
export async function otherKind(
  { region, reading, patience }: Where & Pick<Place, "patience">,
  name: string,
): Promise<string | undefined> {
  if (region.config.adopt.workloads === "none") return undefined;
  const caches = reading.namespaces.map((namespace) => region.cacheOf(namespace));
  // The other operation has it.
  if (caches.some((cache) => RUN.some((kind) => cache.find(kind, name) !== undefined))) return undefined;
  const adopts = adopter(region.config.adopt);
  const pods = caches.flatMap((cache) => cache.find("Pod", name) ?? []);
  const pod = pods.find((each) => adopts(each.metadata) || isOfGantry(each));
  if (pod) return podWords(pod, { region, reading });
  if (pods.length > 0) return undefined;
  const within = patience(PATIENCE_MS);
  const get = async <K extends "Rollout" | "ReplicaSet">(kind: K) => {
    const found = await Promise.all(
      reading.namespaces
        .slice(0, MOST_ASKED)
        .map((namespace) => region.api.get({ kind, namespace, name }, within).catch(() => undefined)),
    );
    return found.find((each) => each && adopts(each.metadata));
  };
  const [rollout, replicaSet] = await Promise.all([get("Rollout"), get("ReplicaSet")]);
  if (rollout) return `${name} is an Argo Rollout, which Gantry doesn't run. Use kubectl argo rollouts.`;
  if (!replicaSet) return undefined;
  const owner = controllerOf(replicaSet.metadata);
  if (owner) return `${name} is a ReplicaSet of the ${owner.kind} ${owner.name}. Ask for ${owner.name}.`;
  return `${name} is a ReplicaSet without a Deployment, which Gantry doesn't run. Use kubectl, or make a Deployment of it.`;
}

function isOfGantry({ metadata }: KubeObject<"Pod">): boolean {
  return [labels.service, labels.job].some((label) => {
    return isGantrys({ name: metadata.labels[label] ?? "", labels: metadata.labels }, label);
  });
}

function podWords({ metadata }: KubeObject<"Pod">, { region, reading }: Where): string {
  const { name, uid } = metadata;
  const has = ({ pods }: { readonly pods: readonly KubeObject<"Pod">[] }) =>
    pods.some((pod) => pod.metadata.uid === uid);
  const service = findServices(region, reading).find(has)?.service.name;
  if (service !== undefined) return `${name} is an instance of the service ${service}. Ask for ${service}.`;
  const job = findJobs(region, reading).find(has)?.job.name;
  if (job !== undefined) return `${name} is an instance of the job ${job}. Ask for ${job}.`;
  const owner = controllerOf(metadata);
  if (owner) return `${name} is a pod of the ${owner.kind} ${owner.name}, which Gantry doesn't run. Use kubectl.`;
  return `${name} is a pod without a Deployment or Job, which Gantry doesn't run. Use kubectl, or make a Deployment of it.`;
}
