import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and what is missing of its parents, or throws. Node's own recursive `mkdir` never comes back from a
 * file system that refuses a folder as if its parent were missing, such as /proc.
 */
export function makeFolder(path: string, options: { readonly mode?: number } = {}): void {
  const failed = made(path, options);
  if (failed === undefined) return;
  const parent = dirname(path);
  if (failed.code !== "ENOENT" || parent === path) throw failed;
  makeFolder(parent, options);
  const again = made(path, options);
  if (again !== undefined) throw again;
}

function made(path: string, options: { readonly mode?: number }): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(path, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    return error;
  }
}
