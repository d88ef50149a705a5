import { open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../../platform/make-folder.ts";
import { pathSegment } from "../state/data-folder.ts";
import { encodeRecord, type RunRecord } from "../runtime.ts";
import { z } from "zod";
import { jsonIn } from "../../../platform/optional.ts";

const attempt = z.number();

const Saved = z.discriminatedUnion("state", [
  z.object({ state: z.literal("reserved") }),
  z.object({ state: z.literal(["begun", "interrupted"]), attempt }),
  z.object({ state: z.literal("ended"), attempt, code: z.number().nullable(), at: z.string() }),
]);

/** The folder of a job's records, outside the working folder where its programs can write. */
export function recordFolder(dataDir: string, uid: string): string {
  return join(recordFolders(dataDir), pathSegment(uid));
}

export function recordFolders(dataDir: string): string {
  return join(dataDir, "runs");
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
  const text = await readFile(path, "utf8").catch(() => "");
  return Saved.safeParse(jsonIn(text)).data;
}
