import { Refusal, type Engine } from "../../engine.ts";

/** Runs a startup step on a file. Its error names the file and says what to do. */
export async function withFileNamed<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`Couldn't open ${path}: ${why}. ${advice(error)}`, { cause: error });
  }
}

/** The error already names a file. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. https://www.sqlite.org/rescode.html */
const DAMAGED = [11, 26];

export function isDamaged(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && DAMAGED.includes(Number(error.errcode) & 0xff);
}

function advice(error: unknown): string {
  if (isDiskFull(error)) return "The disk is full: free some space and start again.";
  if (isDamaged(error)) return "Restore the file from a backup, or move it away to start without its data.";
  return "Check that its folder exists and that this user may read and write it.";
}

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: no space for the index of the write-ahead log.
 * https://www.sqlite.org/rescode.html */
const FULL_SQLITE_CODES = [13, 4_874];
const FULL_SYSTEM_CODES = ["ENOSPC", "EDQUOT"];
const NO_FILES_CODES = ["EMFILE", "ENFILE"];

/** Whether SQLite or the operating system reports a full disk. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && FULL_SQLITE_CODES.includes(Number(error.errcode))) return true;
  return hasCode(error, FULL_SYSTEM_CODES);
}

/** Whether this process or the machine is out of file descriptors. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && hasCode(error, NO_FILES_CODES);
}

function hasCode(error: Error, codes: readonly string[]): boolean {
  return "code" in error && codes.includes(String(error.code));
}

const DISK_IS_FULL = "The disk of the workload API is full. Nothing was changed. Free some space and try again.";
const NO_FILES_LEFT = "The workload API has no file descriptors left. Nothing was changed. Try again in a moment.";

/**
 * Wraps an engine to answer 503 when the machine is out of space or files. Its operations must undo partial changes on
 * failure.
 */
export function refusingWhenExhausted(engine: Engine): Engine {
  const entries = Object.entries(engine).map(([op, run]) => [op, refusing(run as Run)]); // each operation takes one request
  return Object.fromEntries(entries) as Engine; // the same operations
}

type Run = (request: unknown) => Promise<unknown>;

function refusing(run: Run): Run {
  return async (request) => {
    try {
      return await run(request);
    } catch (error) {
      if (isDiskFull(error)) throw new Refusal(503, DISK_IS_FULL, { cause: error });
      if (isOutOfFiles(error)) throw new Refusal(503, NO_FILES_LEFT, { cause: error });
      throw error;
    }
  };
}
