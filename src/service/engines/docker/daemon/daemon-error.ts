/** Why a call of the daemon failed. Without a status it couldn't be reached, or its answer was lost. */
export class DaemonError extends Error {
  override readonly name = "DaemonError";
  readonly status: number | undefined;

  constructor(status: number | undefined, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Podman answers 500 where Docker has a specific status. Its message ends with the cause. */
export function isPodmanError(error: unknown, cause: string): error is DaemonError {
  return error instanceof DaemonError && error.status === 500 && error.message.endsWith(cause);
}
