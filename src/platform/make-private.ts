import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Takes the rights of other users from the files and folders with our names in a folder that was there before us. What
 * others keep in it stays as it is, and no link is followed.
 */
export function makePrivate(folder: string, isOurs: (name: string) => boolean): void {
  for (const name of readdirSync(folder).filter(isOurs)) {
    try {
      const path = join(folder, name);
      const found = lstatSync(path);
      const isExposed = (found.mode & 0o077) !== 0 && (found.isFile() || found.isDirectory());
      if (isExposed) chmodSync(path, found.mode & 0o700);
    } catch {
      // Somebody else's, or gone by now. The doctor looks at the key file.
    }
  }
}
