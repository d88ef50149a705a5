import type { Clock } from "../../../../platform/clock.ts";
import { Refusal, type User } from "../../../engine.ts";
import { type CachedKind, jobKinds, serviceKinds } from "../cache/namespace-cache.ts";
import { isDenied } from "../cluster/refusal-of.ts";
import { KubeError, missingRightOf } from "../cluster/kube-api.ts";
import type { Region } from "../regions.ts";
import { leftOut, type LeftOut } from "../region-namespaces.ts";
import type { Reading, FoundService } from "./services.ts";

type Asked = { readonly user: User; readonly path: { readonly region: string }; readonly signal: AbortSignal };

/** A region, and the user's namespaces in it. */
export type Place = {
  readonly region: Region;
  readonly reading: Reading;
  /** All of the user's namespaces, also those that can't be read. New workloads are made in the first. */
  readonly names: readonly [string, ...string[]];
  readonly leftOut: readonly LeftOut[];
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
