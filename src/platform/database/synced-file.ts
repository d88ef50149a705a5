import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";

export type SyncedFile = {
  /**
   * Resolves when all that was written to the file before the call is on disk. Calls during one wait for the next together.
   * Throws an Error with an `errcode` of SQLite.
   */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** https://sqlite.org/rescode.html#ioerr_fsync */
const IOERR_FSYNC = 1034;

/** Waits for the disk outside the main thread. Throws when the file isn't there. */
export function syncedFile(path: string, onDisk: (file: number) => Promise<void> = promisify(fdatasync)): SyncedFile {
  const file = openSync(path, "r+");
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    next = undefined;
    last = onDisk(file).catch((cause: unknown) => {
      throw Object.assign(new Error(`${path} can't be synced`, { cause }), { errcode: IOERR_FSYNC });
    });
    return last;
  };
  return {
    sync: () => (next ??= last.then(begin, begin)),
    async close() {
      await (next ?? last).catch(() => undefined);
      closeSync(file);
    },
  };
}
