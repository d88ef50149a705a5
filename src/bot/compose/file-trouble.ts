import { rmSync, statSync } from "node:fs";

const readTroubles: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is a file",
  EISDIR: "it is a folder",
  EACCES: "you don't have permission",
  EPERM: "you don't have permission",
};

/** Why a file couldn't be read, with the system's code; for other errors, their message. */
export function readTrouble(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  const why = readTroubles[code];
  return why === undefined ? error.message : `${why} (${code})`;
}

/** Removes the file that a failed write left. A folder of that name isn't ours and isn't removed. */
export function removeUnfinished(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) rmSync(path);
}
