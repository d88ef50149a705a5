import { ZodError } from "zod";
import { isHangUp } from "../../../../platform/http/send.ts";

/**
 * Why a call of the daemon failed. Without a status it couldn't be reached, or its answer was lost; the message is then a
 * clause about the daemon, "it closed the connection".
 */
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

/** A call that couldn't be sent, or whose answer didn't arrive. */
export function unanswered(cause: unknown): DaemonError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = isHangUp(cause) ? "it closed the connection" : (byCode[code] ?? messageOf(cause));
  return new DaemonError(undefined, why, { cause });
}

/** Whether nobody knows if the call had an effect. */
export function isLost(error: unknown): error is DaemonError {
  return error instanceof DaemonError && error.status === undefined;
}

const byCode: Readonly<Record<string, string>> = {
  ENOENT: "there is no such socket",
  EACCES: "this user may not use it. Add the user to its group, which is mostly docker",
  EPERM: "this user may not use it",
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "its host name is unknown",
  EAI_AGAIN: "its host name is unknown",
  UND_ERR_CONNECT_TIMEOUT: "its machine doesn't answer",
};

/** Why a daemon can't be used: a clause without a full stop, and without addresses. */
export function whyUnusable(error: unknown): string {
  if (error instanceof ZodError || error instanceof SyntaxError)
    return "what answers there is neither Docker nor Podman";
  if (!(error instanceof DaemonError)) return messageOf(error);
  return error.status === undefined ? messageOf(error) : `it answered ${error.status}: ${messageOf(error)}`;
}

export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/\.$/u, "");
}
