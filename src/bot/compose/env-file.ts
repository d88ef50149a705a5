/** Where `npm run setup` writes and the other programs read, unless GANTRY_ENV_FILE names another file. */
const USUAL = ".env";

/**
 * Reads the file of variables, if there is one. Variables that are set already win. Node's own `--env-file-if-exists`
 * reports each start without that file as if something was wrong.
 */
export function loadEnvFile(path: string | undefined): void {
  try {
    process.loadEnvFile(path || USUAL);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) throw error;
  }
}
