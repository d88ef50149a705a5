import { z } from "zod";
import { MAX_CONTAINERS, MAX_ENTRIES, RevisedContainer, type ServiceDefinition } from "../definitions.ts";
import { Refusal } from "../../engine.ts";

/** Ranges from the first number up to, and without, the second. */
export const Generations = z
  .array(z.tuple([z.int(), z.int()]).readonly())
  .max(MAX_ENTRIES)
  .readonly();
type Generations = z.output<typeof Generations>;

/** The images and environment variables of a service, as they were set together. */
export const Revision = z.object({
  number: z.int().min(1),
  createdAt: z.string(),
  /** The one that it replaced. */
  from: z.int().optional(),
  /** `done` once all instances were ready; `aborted` when another one took its place before. */
  outcome: z.enum(["done", "aborted"]).optional(),
  endedAt: z.string().optional(),
  containers: z.array(RevisedContainer).min(1).max(MAX_CONTAINERS).readonly(),
  /** Of the images of its ready instances when it was replaced, if all are known. */
  digests: z.array(z.string()).max(MAX_CONTAINERS).readonly().optional(),
  /** Those of its instances when it was replaced: going back keeps those that still run. */
  generations: Generations,
});
export type Revision = Readonly<z.output<typeof Revision>>;

/** The current one, and the newest earlier ones. */
export type Revisions = readonly [Revision, ...Revision[]];

/** What a service has to do with its revisions. */
type Revised = {
  readonly definition: ServiceDefinition;
  /** Rises when running instances have to be replaced. */
  readonly generation: number;
  readonly alsoCurrent: Generations;
  readonly revisions: Revisions;
};

const MOST_KEPT = 10;

/** Of a new service, and of one from before revisions were kept. */
export function firstRevision({
  definition,
  createdAt,
}: Pick<Revised, "definition"> & { readonly createdAt: string }): Revisions {
  return [{ number: 1, createdAt, containers: revisedOf(definition), generations: [] }];
}

function revisedOf({ containers }: ServiceDefinition): RevisedContainer[] {
  return containers.map(({ image, env }) => ({ image, env }));
}

/** The definition with a revision's images and variables. A saved revision without variables has no `env`. */
export function withRevision(definition: ServiceDefinition, { containers }: Revision): ServiceDefinition {
  return {
    ...definition,
    containers: definition.containers.map((container, index) => {
      const revised = containers[index];
      return revised === undefined ? container : { ...container, image: revised.image, env: revised.env };
    }),
  };
}

/** Whether running instances have another image or other environment variables than wanted. */
export function isRevised(before: ServiceDefinition, after: ServiceDefinition): boolean {
  return JSON.stringify(revisedOf(before)) !== JSON.stringify(revisedOf(after));
}

/** The kept revision with this number. Throws a `Refusal` 409 that names those that are kept. */
export function keptRevision<R extends Pick<Revision, "number">>(
  { name, revisions }: { readonly name: string; readonly revisions: readonly R[] },
  number: number,
): R {
  const found = revisions.find((each) => each.number === number);
  if (found) return found;
  const kept = revisions.map((each) => each.number).join(", ");
  throw new Refusal(409, `revision ${number} of service ${name} isn't kept: it has ${kept}. Nothing was changed.`);
}

/**
 * A service whose next revision is this definition, for instances of `generation`. `back` is the one that it goes back to,
 * and `digests` are those of the images that run until then.
 */
export function revised<Service extends Revised>(
  service: Service,
  {
    definition,
    generation,
    now,
    back,
    digests = [],
  }: {
    readonly definition: ServiceDefinition;
    readonly generation: number;
    readonly now: Date;
    readonly back?: Revision | undefined;
    readonly digests?: readonly (string | undefined)[];
  },
): Service {
  const [left, ...earlier] = service.revisions;
  const createdAt = now.toISOString();
  const next: Revision = {
    number: left.number + 1,
    createdAt,
    from: left.number,
    containers: revisedOf(definition),
    generations: [],
  };
  const known = digests.filter((digest) => digest !== undefined);
  const replaced: Revision = {
    ...left,
    ...(known.length === left.containers.length && { digests: known }),
    ...(left.outcome === undefined && { outcome: "aborted", endedAt: createdAt }),
    generations: [[service.generation, generation], ...service.alsoCurrent],
  };
  const revisions: Revisions = [next, ...[replaced, ...earlier].slice(0, MOST_KEPT - 1)];
  return { ...service, definition, generation, alsoCurrent: back?.generations ?? [], revisions };
}

/** Whether instances of this generation are what is wanted now. */
export function isCurrentGeneration(
  { generation, alsoCurrent }: Pick<Revised, "generation" | "alsoCurrent">,
  of: number,
): boolean {
  return of >= generation || isWithin(alsoCurrent, of);
}

/** What instances of an outdated generation run: another definition than the current one if that has another revision. */
export function definitionOf(service: Revised, generation: number): ServiceDefinition {
  if (isCurrentGeneration(service, generation)) return service.definition;
  const own = service.revisions.find(({ generations }) => isWithin(generations, generation));
  return own ? withRevision(service.definition, own) : service.definition;
}

function isWithin(generations: Generations, generation: number): boolean {
  return generations.some(([from, to]) => from <= generation && generation < to);
}

/** The service once all instances of its newest revision were ready; itself if that is known already. */
export function proven<Service extends Revised>(service: Service, at: Date | undefined): Service {
  const [newest, ...earlier] = service.revisions;
  if (newest.outcome !== undefined) return service;
  const done: Revision = { ...newest, outcome: "done", ...(at && { endedAt: at.toISOString() }) };
  return { ...service, revisions: [done, ...earlier] };
}

/** Until a revision has been ready once, its instances have to show that they are. The first one has nothing to replace. */
export function isUnproven({ revisions: [newest] }: Pick<Revised, "revisions">): boolean {
  return newest.number > 1 && newest.outcome === undefined;
}

/**
 * The revision that serves until the newest one has been ready once, with a generation of its instances. Undefined when
 * the newest one serves, or no earlier one is kept.
 */
export function servedUntilProven(
  service: Revised,
): { readonly generation: number; readonly definition: ServiceDefinition } | undefined {
  if (!isUnproven(service)) return undefined;
  const served = service.revisions.find(({ outcome, generations }) => outcome === "done" && generations.length > 0);
  const [, before] = served?.generations[0] ?? [];
  if (served === undefined || before === undefined || isCurrentGeneration(service, before - 1)) return undefined;
  return { generation: before - 1, definition: withRevision(service.definition, served) };
}
