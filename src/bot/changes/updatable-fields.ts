import { z } from "zod";
import type { Job, Service } from "../../api/answers.ts";
import { parseMemoryMiB } from "../../api/memory.ts";
import type { Call } from "../../api/operations.ts";
import type { ContainerFacts as PolicyFacts } from "../policy/policy.ts";
import { serviceStatus } from "../../api/workload-status.ts";
import { optional } from "../optional.ts";
import { type ActionId, operationFacts, type Risk, type WriteOperationId } from "../policy/operation-facts.ts";

type Update = Call<"updateService">["body"];
type ContainerUpdate = NonNullable<Update["containers"]>[number];
type NewService = Call<"createService">["body"];

/** Everything that Gantry knows of a field of a service that an update can set. */
type Field<Value> = {
  /** As diffs, cards and outcomes name it. */
  readonly label: string;
  /** How a Snapshot keeps it. */
  readonly stored: z.ZodType<Value>;
  /** From an answer of the workload API; undefined when it doesn't report it, which isn't the same as none. */
  readonly read: (service: Service) => Value | undefined;
  /** The value that an update leads to; undefined when it doesn't set the field. */
  readonly wanted: (update: Update, before: Value | undefined) => Value | undefined;
  /** A value as people read it. Equal words are equal values. */
  readonly words: (value: Value | undefined) => string;
  /** How the workload API names it in `refused_operations`. */
  readonly part: string;
  /** How a policy rule names an update of it. Default: `updateService`. */
  readonly action?: ActionId;
  /** Every risk that an update of it can have. */
  readonly risks: readonly Risk[];
  /** The risk of an update that sets it: one of `risks`. */
  readonly risk: (wanted: Value, before: Value | undefined, update: Update) => Risk;
  /** How a service differs from a request to create it; false when it doesn't. */
  readonly unlikeRequest: (body: NewService, now: Value) => string | false;
  /** Whether it changes with an update that doesn't name it. */
  readonly follows?: (update: Update) => boolean;
};

function field<Value>(row: Field<Value>): Field<Value> {
  return row;
}

/** Shown for a value that the service doesn't report. */
export const NOT_REPORTED = "not reported";
/** Shown for a memory limit of 0. */
const NO_LIMIT = "no limit";

/** "512", or that there is no limit, as in "512 → 1024 MiB". */
export function memoryBefore(mib: number | undefined): string {
  return mib === 0 ? NO_LIMIT : String(mib ?? NOT_REPORTED);
}

/** One row per updatable field, under the name that a Snapshot stores it by. */
const rows = {
  size: field({
    label: "instances",
    stored: z.number(),
    read: (service) => service.target_instance_size,
    wanted: (update) => update.target_instance_size,
    words: (size) => String(size ?? NOT_REPORTED),
    part: "size",
    risks: ["routine", "disruptive", "destructive"],
    // Only a certain increase is routine.
    risk: (wanted, before) =>
      wanted === 0 ? "destructive" : before !== undefined && wanted > before ? "routine" : "disruptive",
    unlikeRequest: ({ target_instance_size: wanted }, now) =>
      wanted !== undefined && wanted !== now && `${now} instances instead of ${wanted}`,
  }),
  /** MiB per container, in order. */
  memoryMiB: field({
    label: "memory",
    stored: z.array(optional(z.number())).readonly(),
    read: ({ containers = [] }) => containers.map(({ resources }) => parseMemoryMiB(resources?.limits?.memory)),
    // Container updates go by position: `memory` puts `{}` before the one it changes.
    wanted: ({ containers: updates }, before = []) =>
      updates &&
      // An update may name containers after them, of which only the image is told.
      Array.from({ length: before.length || updates.length }, (_, at) => {
        const update = updates[at];
        return parseMemoryMiB((update?.resources ?? update?.resource)?.limits?.memory) ?? before[at];
      }),
    words: (memory = []) => memory.map((mib) => (mib ? `${mib} MiB` : memoryBefore(mib))).join(" and ") || NOT_REPORTED,
    part: "memory",
    risks: ["disruptive"],
    // A new limit restarts every instance, except where the engine changes it in place.
    risk: () => "disruptive",
    unlikeRequest: ({ containers }, now) =>
      containers.some(({ resources }, at) => {
        const wanted = parseMemoryMiB(resources?.limits?.memory);
        return wanted !== undefined && now[at] !== undefined && wanted !== now[at];
      }) && "other memory",
  }),
  domains: field({
    label: "domains",
    stored: z.array(z.string()).readonly(),
    read: (service) => service.binding_domain_name,
    wanted: (update) => update.binding_domain_name,
    words: (domains) => (domains === undefined ? NOT_REPORTED : domainSet(domains).join(", ") || "none"),
    part: "domains",
    risks: ["routine", "destructive"],
    // The list replaces the old one. Where the API doesn't report that, any domain may be removed.
    risk(wanted, before) {
      const kept = new Set(domainSet(wanted));
      return before !== undefined && domainSet(before).every((domain) => kept.has(domain)) ? "routine" : "destructive";
    },
    unlikeRequest: ({ binding_domain_name: wanted }, now) =>
      wanted !== undefined && String(domainSet(wanted)) !== String(domainSet(now)) && "other domains",
  }),
  /** The image of each container, in order, then of those that start before them. */
  images: field({
    label: "image",
    stored: z.array(optional(z.string())).readonly(),
    read(service) {
      const images = [...(service.containers ?? []), ...initContainers(service)].map(({ image }) => image);
      return images.every((image) => image === undefined) ? undefined : images;
    },
    // By position, as memory.
    wanted: ({ containers: updates = [] }, before = []) =>
      updates.some(({ image }) => image !== undefined)
        ? Array.from({ length: Math.max(updates.length, before.length) }, (_, at) => updates[at]?.image ?? before[at])
        : undefined,
    words: (images = []) => images.map((image) => image ?? NOT_REPORTED).join(" and ") || NOT_REPORTED,
    part: "image",
    action: "deploy",
    risks: ["disruptive"],
    // A new version can fail in ways that nobody foresees.
    risk: () => "disruptive",
    unlikeRequest: ({ containers }, now) =>
      containers.some(({ image }, at) => now[at] !== undefined && image !== now[at]) && "another image",
    follows: ({ revision }) => revision !== undefined,
  }),
  /** Never kept, because values can be secrets and names can tell of them: the revision shows that they changed. */
  env: field<never>({
    label: "environment variables",
    stored: z.never(),
    read: () => undefined,
    wanted: () => undefined,
    words: () => NOT_REPORTED,
    part: "env",
    risks: ["disruptive"],
    risk: () => "disruptive",
    unlikeRequest: () => false,
  }),
  revision: field({
    label: "version",
    stored: z.number(),
    read: ({ revision }) => revision,
    // What it goes back to becomes the next one; and nothing else shows another value of a variable.
    wanted: ({ revision, containers = [] }, before) =>
      before !== undefined && (revision !== undefined || containers.some(({ env }) => env !== undefined))
        ? before + 1
        : undefined,
    words: (revision) => String(revision ?? NOT_REPORTED),
    part: "revision",
    action: "deploy",
    risks: ["routine"],
    // A revision ran before.
    risk: (_wanted, _before, { revision }) => (revision === undefined ? "disruptive" : "routine"),
    unlikeRequest: () => false,
    // An orchestrator counts each change of its template, also another memory limit.
    follows: () => true,
  }),
};

/** Domain names as a sorted set, case-insensitive (https://www.rfc-editor.org/rfc/rfc4343). */
function domainSet(domains: readonly string[]): string[] {
  return [...new Set(domains.map((domain) => domain.toLowerCase()))].sort();
}

type WithInit = Pick<Service | Job, "init_containers" | "sidecars">;

/** Containers that start before the others, in order; a native sidecar may be reported as one alone. Pure. */
export function initContainers({ init_containers: init = [], sidecars = [] }: WithInit) {
  const others = sidecars.filter(({ name }) => !init.some((each) => each.name === name));
  return [...init, ...others].map(({ name, image, resources }): ContainerFacts => {
    const sidecar = sidecars.find((each) => each.name === name);
    const limit = (resources ?? sidecar?.resources)?.limits?.memory;
    return { image, memoryMiB: parseMemoryMiB(limit), init: sidecar === undefined ? "ends" : "runs on" };
  });
}

export type UpdatableFieldName = keyof typeof rows;
type Values = { readonly [Each in UpdatableFieldName]?: z.output<(typeof rows)[Each]["stored"]> | undefined };

/** The rows as a list. A value is only ever given to its own row, which TypeScript can't follow through a list. */
const fields = Object.entries(rows) as readonly [UpdatableFieldName, Field<unknown>][]; // see above

/**
 * The fields of a workload that a write can change or depends on; undefined when it doesn't exist. A field can be missing
 * where an earlier version of Gantry stored it.
 */
export type Snapshot =
  | (Values & {
      /** See `identityOf`. */
      readonly uid: string | undefined;
      readonly status: string | undefined;
      /** Since when its status is what it is, where the API says so. */
      readonly since?: string | undefined;
      /** Of what the containers run, in order, where the API says it. Nothing depends on them. */
      readonly digests?: readonly (string | undefined)[] | undefined;
      /** Of the containers after the others in `images`. Nothing depends on it, as on the next one. */
      readonly init?: readonly Omit<ContainerFacts, "image">[] | undefined;
      /** The memory limit of an instance as a whole. */
      readonly instanceMiB?: number | undefined;
      /** All its instances were ready, and of the newest revision. Only of a service with revisions, and only true. */
      readonly isReady?: boolean | undefined;
    })
  | undefined;

export const ContainerFacts = z.object({
  image: optional(z.string()),
  memoryMiB: optional(z.number()),
  init: z.enum(["ends", "runs on"]).optional(),
}) satisfies z.ZodType<PolicyFacts>;
export type ContainerFacts = PolicyFacts;

export const Snapshot: z.ZodType<Snapshot> = optional(
  z
    .object({
      uid: optional(z.string()),
      status: optional(z.string()),
      since: z.string().optional(),
      digests: z.array(optional(z.string())).readonly().optional(),
      init: z
        .array(ContainerFacts.omit({ image: true }))
        .readonly()
        .optional(),
      instanceMiB: z.number().optional(),
      isReady: z.boolean().optional(),
      ...Object.fromEntries(fields.map(([name, { stored }]) => [name, optional(stored)])),
    })
    .readonly(),
);

export function serviceSnapshot(service: Service): NonNullable<Snapshot> {
  const { containers = [], init_containers: reported = [] } = service;
  const digests = [...containers, ...reported].map(({ image_digest: digest }) => digest);
  const init = initContainers(service).map(({ image: _image, ...facts }) => facts);
  const instanceMiB = parseMemoryMiB(service.instance_memory);
  return {
    uid: identityOf(service.uid, service.created_at),
    status: service.status ?? undefined,
    ...valuesOf(service),
    ...(service.status_since !== undefined && { since: service.status_since }),
    ...(digests.some((digest) => digest !== undefined) && { digests }),
    ...(init.length > 0 && { init }),
    ...(instanceMiB !== undefined && { instanceMiB }),
    ...(isAllReady(service) && { isReady: true }),
  };
}

function isAllReady(service: Service): boolean {
  const { revision, rollout: { state = "done" } = {} } = service;
  return revision !== undefined && state === "done" && serviceStatus(service).level === "healthy";
}

/** A job can only be created and deleted, so only its identity matters. */
export function jobSnapshot({ metadata: { name, uid, creationTimestamp } }: Job): NonNullable<Snapshot> {
  return { uid: identityOf(uid, creationTimestamp), status: undefined, ...valuesOf({ name }) };
}

function valuesOf(service: Service): Values {
  return Object.fromEntries(fields.map(([name, { read }]) => [name, read(service)]));
}

const MADE_AT = "created ";

/**
 * Distinguishes a workload from a later one of the same name: the `uid`, or the creation time if there is no `uid`.
 * Undefined when neither is reported.
 */
function identityOf(uid: string | undefined, createdAt: string | undefined): string | undefined {
  if (uid !== undefined && uid !== "") return uid;
  return createdAt === undefined || createdAt === "" ? undefined : `${MADE_AT}${createdAt}`;
}

/** Whether two identities certainly differ. A `uid` and a creation time can't be compared. */
export function isAnother(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return false;
  return one.startsWith(MADE_AT) === other.startsWith(MADE_AT);
}

/** What an update of this field alone sends, and how much harm it can do. */
export function updateOf(
  name: UpdatableFieldName,
): Pick<Field<unknown>, "part" | "risks"> & { readonly action: ActionId } {
  const { part, risks, action = "updateService" } = rows[name];
  return { part, risks, action };
}

/** An updatable field in words. */
export type UpdatableField = {
  readonly label: string;
  /** The requested value; undefined when the call doesn't set the field. */
  readonly wanted: string | undefined;
  readonly before: string;
  readonly now: string;
  /** It changes with this update although that doesn't name it. */
  readonly follows: boolean;
};

/** Every updatable field: requested, before, and now. Pure. */
export function updatableFields(
  { call, before }: { readonly call: Call<WriteOperationId>; readonly before: Snapshot },
  now: Snapshot,
): UpdatableField[] {
  const update = call.op === "updateService" ? call.body : {};
  return fields.map(([name, { label, wanted: wantedBy, words, follows }]) => {
    const wanted = wantedBy(update, before?.[name]);
    return {
      label,
      wanted: wanted === undefined ? undefined : words(wanted),
      before: words(before?.[name]),
      now: words(now?.[name]),
      follows: follows?.(update) === true,
    };
  });
}

/** A write as policy rules name it: an update to another image or to a kept revision is a deploy. */
export function actionOf(call: Call<WriteOperationId>): ActionId {
  if (call.op !== "updateService") return call.op;
  const { revision, containers = [] } = call.body;
  return revision !== undefined || containers.some(({ image }) => image !== undefined) ? "deploy" : call.op;
}

/** Each container after an update; undefined when its containers aren't reported. */
export function containersAfter(update: Update, before: Snapshot): readonly ContainerFacts[] | undefined {
  const now = before?.memoryMiB ?? [];
  if (now.length === 0) return undefined;
  const memory = rows.memoryMiB.wanted(update, now) ?? now;
  const images = rows.images.wanted(update, before?.images) ?? before?.images ?? [];
  const init = before?.init ?? [];
  return Array.from({ length: Math.max(now.length + init.length, images.length) }, (_, at) => ({
    image: images[at],
    ...(at < now.length ? { memoryMiB: memory[at] } : (init[at - now.length] ?? { memoryMiB: undefined })),
  }));
}

/** Whether a Change replaces instances by those of another revision: other images or environment variables. */
export function setsRevision({ call }: { readonly call: Call<WriteOperationId> }): boolean {
  if (call.op !== "updateService") return false;
  const { revision, containers = [] } = call.body;
  return revision !== undefined || containers.some(({ image, env }) => (image ?? env) !== undefined);
}

/** Whether the value in words of a field is known as a whole. */
export function isReported(words: string): boolean {
  return !words.includes(NOT_REPORTED);
}

/** How the existing service differs from the requested one, comparing only reported fields. Pure. */
export function unlikeRequest(body: NewService, now: NonNullable<Snapshot>): string | undefined {
  return fields.flatMap(([name, row]) => (now[name] !== undefined && row.unlikeRequest(body, now[name])) || [])[0];
}

export const risks = ["routine", "disruptive", "destructive"] as const satisfies readonly Risk[]; // the literal words

/**
 * The risk of a Call, given the workload before; of an update, the highest of the fields that it sets. Pure. Only what is
 * certainly harmless is routine.
 */
export function riskOf(call: Call<WriteOperationId>, before: Snapshot): Risk {
  if (call.op !== "updateService") return operationFacts[call.op].risk ?? "disruptive";
  const found = fields.map(([name, { wanted: wantedBy, risk }]) => {
    const wanted = wantedBy(call.body, before?.[name]);
    return wanted === undefined ? undefined : risk(wanted, before?.[name], call.body);
  });
  // An update without known fields isn't routine: the API may have added a field.
  return risks.findLast((risk) => found.includes(risk)) ?? "disruptive";
}

/**
 * After an update of memory that doesn't show or was rejected: the setting that may help. A write is never resent, not even
 * with the other key.
 */
export function otherKeyHint(
  { call }: { readonly call: Call<WriteOperationId> },
  key: "resources" | "resource",
): string | undefined {
  const isLimit = ({ resources, resource }: ContainerUpdate): boolean => (resources ?? resource) !== undefined;
  if (call.op !== "updateService" || call.body.containers?.some(isLimit) !== true) return undefined;
  const other = key === "resources" ? "resource" : "resources";
  return `The workload API may expect another field name: ask your Gantry admin to set WORKLOAD_API_RESOURCES_KEY=${other}.`;
}
