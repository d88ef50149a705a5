import { z } from "zod";
import { Refusal } from "../engine.ts";
import type { Revision, Revisions } from "./services/revisions.ts";
import type { ServiceRow } from "./state/tables.ts";
import type { JobDefinition, ServiceDefinition } from "./definitions.ts";

/**
 * Schemas for definitions, checked before saving and after loading. Limits are wider than in openapi.yaml, which
 * requests pass first: these only reject values that would break the engine. Unknown fields are kept.
 */
const MAX_INSTANCES = 10_000;
const MAX_CONTAINERS = 100;
const MAX_ENTRIES = 10_000;
/** 16 TiB. */
const MAX_MEMORY_MIB = 16 * 1024 * 1024;

const Port = z.number().int().min(1).max(65_535);
const EnvVar = z.looseObject({ name: z.string(), value: z.string().exactOptional() });
const Mount = z.looseObject({ name: z.string(), mountPath: z.string() });

const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  pullAlways: z.boolean(),
  command: z.array(z.string()).max(MAX_ENTRIES).optional(),
  env: z.array(EnvVar).max(MAX_ENTRIES).optional(),
  ports: z.array(z.looseObject({ port: Port, protocol: z.string() })).max(MAX_ENTRIES),
  memoryMib: z.number().int().min(1).max(MAX_MEMORY_MIB).optional(),
  mounts: z.array(Mount).max(MAX_ENTRIES),
});
const Containers = z.array(Container).min(1).max(MAX_CONTAINERS);

const StoredService = z.looseObject({
  size: z.number().int().min(0).max(MAX_INSTANCES),
  containers: Containers,
  ports: z.array(z.looseObject({ containerPort: Port, protocol: z.string() })).max(MAX_ENTRIES),
  volumes: z.array(z.looseObject({ name: z.string(), diskName: z.string(), readOnly: z.boolean() })).max(MAX_ENTRIES),
  syncTimezone: z.boolean(),
  domains: z.array(z.string()).max(MAX_ENTRIES),
});

const StoredJob = z.looseObject({
  containers: Containers,
  volumes: z.array(z.string()).max(MAX_ENTRIES),
  syncTimezone: z.boolean(),
});

const Generations = z.array(z.tuple([z.int(), z.int()])).max(MAX_ENTRIES);
const StoredRevision = z.looseObject({
  number: z.int().min(1),
  createdAt: z.string(),
  from: z.int().optional(),
  outcome: z.enum(["done", "aborted"]).optional(),
  endedAt: z.string().optional(),
  containers: z
    .array(z.looseObject({ image: z.string(), env: Container.shape.env }))
    .min(1)
    .max(MAX_CONTAINERS),
  digests: z.array(z.string()).max(MAX_CONTAINERS).optional(),
  generations: Generations,
});

/** The saved revisions and older generations that count as current; undefined when they are damaged. */
export function parseRevisions(
  row: Pick<ServiceRow, "also_current" | "revisions">,
): { readonly alsoCurrent: Revision["generations"]; readonly revisions?: Revisions } | undefined {
  try {
    const alsoCurrent = Generations.parse(JSON.parse(row.also_current ?? "[]"));
    if (row.revisions === null) return { alsoCurrent };
    const [newest, ...earlier] = z.array(StoredRevision).min(1).max(MAX_ENTRIES).parse(JSON.parse(row.revisions));
    return newest && { alsoCurrent, revisions: [newest, ...earlier] };
  } catch {
    return undefined;
  }
}

/** A saved definition, or the reason it can't be used. */
type Read<Definition> = { readonly definition: Definition } | { readonly reason: string };

export function parseService(json: string): Read<ServiceDefinition> {
  return parsed(StoredService, json) as Read<ServiceDefinition>; // the schema above, with the fields it keeps
}

export function parseJob(json: string): Read<JobDefinition> {
  return parsed(StoredJob, json) as Read<JobDefinition>; // the same
}

function parsed(schema: z.ZodType, json: string): Read<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { reason: "The saved definition isn't valid JSON." };
  }
  const problem = problemOf(schema, value);
  return problem === undefined ? { definition: value } : { reason: `The saved definition can't be used: ${problem}.` };
}

/** Checks before saving, so that the definition can be loaded again. Throws a `Refusal` 400. */
export function ensureService(definition: ServiceDefinition): void {
  ensure(StoredService, definition);
}

export function ensureJob(definition: JobDefinition): void {
  ensure(StoredJob, definition);
}

function ensure(schema: z.ZodType, definition: object): void {
  const problem = problemOf(schema, definition);
  if (problem !== undefined) throw new Refusal(400, `${problem}. Nothing was changed.`);
}

/** The first problem and its path, without the value, which may be a secret. */
function problemOf(schema: z.ZodType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  if (!issue) return undefined;
  const where = issue.path.join(".") || "the definition";
  if (issue.code !== "too_big") return `${where} is invalid (${issue.message})`;
  return `${where} must ${issue.origin === "array" ? "have at most" : "be at most"} ${issue.maximum}`;
}
