import { isDiskFull } from "./exhausted.ts";

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
