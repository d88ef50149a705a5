import { Refusal, type User } from "../../../engine.ts";
import type { CachedKind } from "../cache/namespace-cache.ts";
import type { Region } from "../region.ts";
import type { KnownRegion, Reading } from "./find-services.ts";
import { jobKinds, serviceKinds } from "./read-kinds.ts";

type Asked = { readonly user: User; readonly path: { readonly region: string }; readonly signal: AbortSignal };

/** A region, and the user's namespace in it. */
export type Place<R extends KnownRegion = Region> = { readonly region: R; readonly reading: Reading };

/** Dependencies of the read operations. */
export type ReadParts<R extends KnownRegion = KnownRegion> = {
  readonly regions: ReadonlyMap<string, R>;
  readonly now: () => Date;
};

/**
 * Where the user's services of a region are, once their cache is current. Throws a `Refusal` 400 for an unknown region,
 * 403 for a user without a namespace there, and 503 when the cluster can't be asked.
 */
export async function servicePlace<R extends KnownRegion>(parts: ReadParts<R>, asked: Asked): Promise<Place<R>> {
  const region = regionOf(parts, asked, [...parts.regions.keys()]);
  return await currentPlace(parts, asked, { region, kinds: serviceKinds(region.config) });
}

/** The same for jobs, which run in some of the regions. */
export async function jobPlace<R extends KnownRegion>(parts: ReadParts<R>, asked: Asked): Promise<Place<R>> {
  const { region: name } = asked.path;
  const withJobs = [...parts.regions].filter(([, { config }]) => config.jobs).map(([region]) => region);
  if (parts.regions.has(name) && !withJobs.includes(name)) {
    const where = withJobs.length > 0 ? `use ${withJobs.join(", ")}` : "no region is configured to run jobs";
    throw new Refusal(400, `jobs don't run in the region ${name}: ${where}`);
  }
  const region = regionOf(parts, asked, withJobs);
  return await currentPlace(parts, asked, { region, kinds: jobKinds(region.config) });
}

function regionOf<R extends KnownRegion>({ regions }: ReadParts<R>, { path }: Asked, names: readonly string[]): R {
  const region = regions.get(path.region);
  if (region) return region;
  throw new Refusal(400, `unknown region ${path.region}: use ${names.join(", ")}`);
}

type Wanted<R> = { readonly region: R; readonly kinds: readonly CachedKind[] };

async function currentPlace<R extends KnownRegion>(
  { now }: ReadParts,
  { user, signal }: Asked,
  { region, kinds }: Wanted<R>,
): Promise<Place<R>> {
  const { username } = user;
  const namespace = region.config.namespaceOf(username);
  if (namespace === undefined) {
    const where = region.config.region;
    throw new Refusal(403, `${username} has no namespace in the region ${where}: ask your Gantry admin for one`);
  }
  await region.cacheOf(namespace).current(kinds, signal);
  return { region, reading: { namespace, username, now: now() } };
}
