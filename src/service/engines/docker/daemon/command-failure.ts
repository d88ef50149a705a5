import type { CommandFailure } from "./daemon-api.ts";
import { DaemonError } from "./daemon-error.ts";

/**
 * What the daemons say about a command that can't run: `exec: "/app": stat /app: no such file or directory`, after the
 * names of everything that was involved.
 */
const COMMAND = /\bexec: "[^"]*": .*?(?=: unknown$|: OCI |$)|executable file .* not found.*?(?=: OCI |$)/u;

export function commandFailure(error: unknown): CommandFailure | undefined {
  if (!(error instanceof DaemonError) || error.status === undefined) return undefined;
  const [message] = COMMAND.exec(error.message) ?? [];
  if (message === undefined) return undefined;
  return { exitCode: message.includes("permission denied") ? 126 : 127, message };
}
