import { open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../../platform/make-folder.ts";
import { pathSegment } from "../state/data-folder.ts";
import { encodeRecord, type RunRecord } from "./run-record-text.ts";

/** The folder of a job's records, outside the working folder where its programs can write. */
export function recordFolder(dataDir: string, uid: string): string {
  return join(dataDir, "runs", pathSegment(uid));
}

/** The file of one container, by index. */
export function recordPath(dataDir: string, uid: string, container: number): string {
  return join(recordFolder(dataDir, uid), String(container));
}

/** Creates a job's record files at full size. Existing files stay unchanged. */
export async function reserveRecords(dataDir: string, uid: string, containers: number): Promise<void> {
  for (let index = 0; index < containers; index += 1) {
    const path = recordPath(dataDir, uid, index);
    makeFolder(dirname(path));
    const file = await open(path, "wx").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
      throw error;
    });
    try {
      await file?.writeFile(encodeRecord({ state: "reserved" }));
      await file?.sync();
    } finally {
      await file?.close();
    }
  }
}

/** Overwrites a record in place and flushes it to disk. */
export async function writeRecord(path: string, record: RunRecord): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.write(encodeRecord(record), 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The record, or undefined when it is missing or damaged: the run may or may not have completed. */
export async function readRecord(path: string): Promise<RunRecord | undefined> {
  try {
    return parsed(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

type Fields = { readonly [key in "state" | "attempt" | "code" | "at"]?: unknown };

function parsed(value: unknown): RunRecord | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { state, attempt, code, at }: Fields = value;
  if (state === "reserved") return { state };
  if (typeof attempt !== "number") return undefined;
  if (state === "begun" || state === "interrupted") return { state, attempt };
  if (state !== "ended" || typeof at !== "string") return undefined;
  return typeof code === "number" || code === null ? { state, attempt, code, at } : undefined;
}
