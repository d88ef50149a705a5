/**
 * Reads `.env` in the working directory, if there is one. Variables that are set already win. Node's own
 * `--env-file-if-exists` reports each start without that file as if something was wrong.
 */
export function loadEnvFile(): void {
  try {
    process.loadEnvFile();
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) throw error;
  }
}
