/** For what a bug alone can make fail, and nobody waits for: a warning of the process instead of its end. */
export function unawaited(work: Promise<unknown>): void {
  work.catch((error: unknown) => process.emitWarning(error instanceof Error ? error : String(error)));
}
