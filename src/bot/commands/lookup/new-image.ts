import type { Call } from "../../../api/operations.ts";
import { imageOf } from "../../../api/image.ts";
import { Problem } from "../../../api/problem.ts";
import { repositoryKey } from "../../policy/patterns.ts";
import type { VerbContext } from "../command.ts";

type Kind = "service" | "job";

/** A workload that would be created. */
export type NewWorkload = {
  readonly kind: Kind;
  readonly region: string;
  readonly name: string;
  readonly image: string;
};

export type ImageCheck = {
  /** Whether the name is taken; undefined when no complete list was read. */
  readonly isTaken: boolean | undefined;
  /** Why the image counts as new; undefined when its repository runs there already. */
  readonly newImage: string | undefined;
};

/**
 * Whether the repository of an image runs already in this account and region, in a service or a job. At most two calls;
 * none where only images of a catalogue can run. Unknown counts as new, and says why.
 */
export async function checkImage(wanted: NewWorkload, context: VerbContext): Promise<ImageCheck> {
  if ((await context.engine())?.images !== undefined) return { isTaken: undefined, newImage: undefined };
  const { kind, region, name, image } = wanted;
  const { repository } = imageOf(image);
  const key = repositoryKey(image);
  const own = await running(kind, region, context);
  const isTaken = own instanceof Problem || !own.isComplete ? undefined : own.names.includes(name);
  const known = isTaken === true || isAmong(key, own);
  // Jobs run in one region.
  const isShared = region === context.settings.jobsRegion;
  const other = known || !isShared ? undefined : await running(kind === "job" ? "service" : "job", region, context);
  if (known || isAmong(key, other)) return { isTaken, newImage: undefined };
  const why =
    key === undefined ? "its name can't be compared" : whyUnknown([own, ...(other === undefined ? [] : [other])]);
  const newImage =
    why === undefined
      ? `first workload in ${region} that runs ${repository}`
      : `it isn't known whether another workload in ${region} runs ${repository}: ${why}`;
  return { isTaken, newImage };
}

type Running = {
  readonly names: readonly string[];
  /** Undefined for one that isn't reported. */
  readonly images: readonly (string | undefined)[];
  readonly isComplete: boolean;
};

function isAmong(key: string | undefined, found: Running | Problem | undefined): boolean {
  if (key === undefined || found === undefined || found instanceof Problem) return false;
  return found.images.some((image) => image !== undefined && repositoryKey(image) === key);
}

function whyUnknown(read: readonly (Running | Problem)[]): string | undefined {
  const problem = read.find((each) => each instanceof Problem);
  if (problem !== undefined) return problem.sentence.replace(/\.$/u, "");
  const found = read.flatMap((each) => (each instanceof Problem ? [] : [each]));
  if (found.some(({ isComplete }) => !isComplete)) return "the workload API doesn't list all workloads";
  const isReported = found.every(({ images }) => images.every((image) => image !== undefined));
  return isReported ? undefined : "the workload API doesn't report every image";
}

async function running(kind: Kind, region: string, { api, signal }: VerbContext): Promise<Running | Problem> {
  const common = { path: { region }, query: undefined, body: undefined };
  try {
    if (kind === "service") {
      const call: Call<"listServices"> = { op: "listServices", ...common };
      const { services, skipped, not_listed: missing = [] } = await api.send(call, { signal });
      const images = services.flatMap(({ containers }) => imagesIn(containers));
      return { names: services.map(({ name }) => name), images, isComplete: skipped + missing.length === 0 };
    }
    const call: Call<"listJobs"> = { op: "listJobs", ...common };
    const { jobs, skipped, not_listed: missing = [] } = await api.send(call, { signal });
    const images = jobs.flatMap(({ spec }) => imagesIn(spec?.template?.spec?.containers));
    return { names: jobs.map(({ metadata }) => metadata.name), images, isComplete: skipped + missing.length === 0 };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

function imagesIn(containers: readonly { readonly image?: string | undefined }[] | undefined): (string | undefined)[] {
  return containers === undefined || containers.length === 0 ? [undefined] : containers.map(({ image }) => image);
}
