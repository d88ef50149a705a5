import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { segment } from "./host-folder.ts";
import { encodeRecord, type RunRecord } from "./run-record-text.ts";

/** The folder of a job's records, outside of the working folder that its programs may write into. */
export function recordFolder(dataDir: string, uid: string): string {
  return join(dataDir, "runs", segment(uid));
}

/** The file of one container, counted from 0. */
export function recordPath(dataDir: string, uid: string, container: number): string {
  return join(recordFolder(dataDir, uid), String(container));
}

/** Makes the files of a job, with the room they need. Existing ones stay as they are. */
export async function reserveRecords(dataDir: string, uid: string, containers: number): Promise<void> {
  for (let index = 0; index < containers; index += 1) {
    const path = recordPath(dataDir, uid, index);
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "wx").catch(ignoreExisting);
    try {
      await file?.writeFile(encodeRecord({ state: "reserved" }));
      await file?.sync();
    } finally {
      await file?.close();
    }
  }
}

function ignoreExisting(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "EEXIST") return undefined;
  throw error;
}

/** Overwrites a record in place; it is on the disk when this resolves. */
export async function writeRecord(path: string, record: RunRecord): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.write(encodeRecord(record), 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The record, or undefined when it is missing or damaged: then nobody knows whether the run has completed. */
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
