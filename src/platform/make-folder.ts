import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents, or throws. Node's recursive `mkdir` never returns on a file system that
 * reports a missing parent for every new folder, such as /proc.
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
