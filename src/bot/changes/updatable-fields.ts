import { parseMemoryMiB } from "../../api/memory.ts";
import type { Change } from "./change.ts";
import type { Snapshot } from "./snapshot.ts";

/** Shown for a value that the service doesn't report. */
export const NOT_REPORTED = "not reported";

export type UpdatableField = {
  readonly label: "instances" | "memory" | "domains";
  /** The requested value; undefined when the call doesn't set the field. */
  readonly wanted: string | undefined;
  readonly before: string;
  readonly now: string;
};

/** The three updatable fields in words: requested, before, and now. Pure. */
export function updatableFields({ call, before }: Pick<Change, "call" | "before">, now: Snapshot): UpdatableField[] {
  const body = call.op === "updateService" ? call.body : {};
  return [
    {
      label: "instances",
      wanted: body.target_instance_size === undefined ? undefined : String(body.target_instance_size),
      before: sizeText(before),
      now: sizeText(now),
    },
    {
      label: "memory",
      wanted: body.containers === undefined ? undefined : memoryText(wantedMemory(body.containers, before)),
      before: memoryText(before?.memoryMiB),
      now: memoryText(now?.memoryMiB),
    },
    {
      label: "domains",
      wanted: body.binding_domain_name === undefined ? undefined : domainText(body.binding_domain_name),
      before: domainText(before?.domains),
      now: domainText(now?.domains),
    },
  ];
}

type ContainerUpdates = NonNullable<Extract<Change["call"], { op: "updateService" }>["body"]["containers"]>;

/** Container updates go by position: `memory` puts `{}` before the one it changes. */
function wantedMemory(updates: ContainerUpdates, before: Snapshot): readonly (number | undefined)[] {
  const size = Math.max(updates.length, before?.memoryMiB.length ?? 0);
  return Array.from({ length: size }, (_, at) => {
    const update = updates[at];
    return parseMemoryMiB((update?.resources ?? update?.resource)?.limits?.memory) ?? before?.memoryMiB[at];
  });
}

function sizeText(snapshot: Snapshot): string {
  return String(snapshot?.size ?? NOT_REPORTED);
}

function memoryText(memory: readonly (number | undefined)[] | undefined): string {
  if (memory === undefined || memory.length === 0) return NOT_REPORTED;
  return memory.map((mib) => (mib === undefined ? NOT_REPORTED : `${mib} MiB`)).join(" and ");
}

function domainText(domains: readonly string[] | undefined): string {
  return domains === undefined ? NOT_REPORTED : domainSet(domains).join(", ") || "none";
}

/** Whether the value in words of a field is known as a whole. */
export function isReported(words: string): boolean {
  return !words.includes(NOT_REPORTED);
}

/** Domain names as a sorted set, case-insensitive (https://www.rfc-editor.org/rfc/rfc4343). */
export function domainSet(domains: readonly string[]): string[] {
  return [...new Set(domains.map((domain) => domain.toLowerCase()))].sort();
}

/**
 * After an update of memory that doesn't show or was rejected: the setting that may help. A write is never resent, not even
 * with the other key.
 */
export function otherKeyHint({ call }: Pick<Change, "call">, key: "resources" | "resource"): string | undefined {
  if (call.op !== "updateService" || call.body.containers === undefined) return undefined;
  const other = key === "resources" ? "resource" : "resources";
  return `The workload API may expect another field name: ask your Gantry admin to set WORKLOAD_API_RESOURCES_KEY=${other}.`;
}
