import { closeSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeSync } from "node:fs";

/** "" when there is no such file. */
export function readEnvFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw new Error(`Couldn't read ${path} (${codeOf(error)}).`, { cause: error });
  }
}

/** Replaces the file at once, readable by its owner only. Throws an Error with a sentence; the old file is unchanged then. */
export function writeEnvFile(path: string, text: string): void {
  const target = targetOf(path);
  const beside = `${target}.${process.pid}.new`;
  try {
    const file = openSync(beside, "wx", 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw new Error(
      `Couldn't write ${path} (${codeOf(error)}). Nothing was changed. Choose another file with --file, in a folder where you may write.`,
      { cause: error },
    );
  }
}

/** A link stays one. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
