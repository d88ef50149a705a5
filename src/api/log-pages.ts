import { localTime, momentOf } from "../platform/zones.ts";
import type { ContainerUpdate } from "./schema.ts";

/** Settings for the points on which the API's documentation is ambiguous. */
export type ApiDialect = {
  /** The key of a memory limit in an update: the property list says `resources`, one example says `resource`. */
  readonly resourcesKey: "resources" | "resource";
  /** Whether `from` of a log counts records or pages. */
  readonly logFrom: "offset" | "page";
  /** The IANA time zone in which the service cuts its logs into days. */
  readonly logZone: string;
};

export type MemoryUpdate = { readonly container?: string | undefined; readonly mib: number };

/** The item of `containers` in the body of `updateService` that sets a memory limit. */
export function memoryUpdate(
  { resourcesKey }: Pick<ApiDialect, "resourcesKey">,
  update: MemoryUpdate,
): ContainerUpdate {
  const resources = { limits: { memory: update.mib } };
  const name = update.container === undefined ? {} : { name: update.container };
  return resourcesKey === "resources" ? { ...name, resources } : { ...name, resource: resources };
}

export type LogPage = {
  readonly mode: ApiDialect["logFrom"];
  /** Records to skip, counted from the newest. */
  readonly from: number;
  /** Records wanted, at least 1. */
  readonly size: number;
};

/**
 * `from` and `size` as the service reads them. A service that counts pages starts each at a multiple of `size`: this
 * requests the page that contains record `from`, and `firstRecord` says where that page starts.
 */
export function logQuery({ mode, from, size }: LogPage): { from: number; size: number } {
  return { from: mode === "offset" ? from : Math.floor(from / size), size };
}

/** The first record of the answer to `logQuery`, counted from the newest; at most `from`. */
export function firstRecord({ mode, from, size }: LogPage): number {
  return mode === "offset" ? from : from - (from % size);
}

/** The day in a time zone, as log endpoints take it: "2026.11.21". Throws RangeError for an unknown zone. */
export function logDate(at: Date, zone: string): string {
  return localTime(at, zone).day.replaceAll("-", ".");
}

/** Reads "2026.11.20", "2026-11-20" or "2026/11/20"; undefined when it isn't a date. */
export function parseLogDate(text: string): string | undefined {
  const [, year = "", month = "", day = ""] = /^(\d{4})[.\-/](\d{1,2})[.\-/](\d{1,2})$/u.exec(text.trim()) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const written = `${year}.${month.padStart(2, "0")}.${day.padStart(2, "0")}`;
  // 31 November would become 1 December.
  return year !== "" && dotted(date) === written ? written : undefined;
}

/** The day `days` before a log date: the day before "2026.03.01" is "2026.02.28". */
export function daysBefore(date: string, days: number): string {
  const [year = 0, month = 1, day = 1] = date.split(".").map(Number);
  return dotted(new Date(Date.UTC(year, month - 1, day - days)));
}

/** The moment a log date begins in its zone, or at which the clocks there show this time on it. */
export function momentOnLogDate(date: string, zone: string, time = "00:00:00"): Date {
  return momentOf({ day: date.replaceAll(".", "-"), time }, zone);
}

function dotted(date: Date): string {
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 10).replaceAll("-", ".");
}
