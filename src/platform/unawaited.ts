/**
 * For work that nobody waits for. A rejection that nobody handles ends the process, for everybody in it; so what the work
 * fails with goes to `onError`, usually a line in the log. Without one, or when that throws, it becomes a warning of the
 * process on standard error.
 */
export function unawaited(work: Promise<unknown>, onError: (error: unknown) => void = warn): void {
  work.catch(onError).catch(warn);
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
