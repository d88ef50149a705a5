import { BODY_LIMIT, type Answer } from "./client.ts";
import type { FuzzRequest } from "./requests.ts";

/** What is wrong with an answer, as a sentence; undefined when nothing is. */
export function wrongWith(asked: FuzzRequest, { status, contentType, body }: Answer): string | undefined {
  if (status >= 500 && status !== 503) return `it answered ${status}: ${body.slice(0, 300)}`;
  if (status < 400 || asked.method === "HEAD") return undefined;
  if (!contentType.startsWith("application/json")) return `a ${status} has the content type “${contentType}”`;
  const message = messageIn(body);
  if (message === undefined) return `a ${status} has no message: ${body.slice(0, 300)}`;
  if (!/\w+ \w+/.test(message) || message.length > 2_000)
    return `a ${status} has no sentence: ${message.slice(0, 300)}`;
  return undefined;
}

function messageIn(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const isObject = typeof value === "object" && value !== null && "message" in value;
    return isObject && typeof value.message === "string" ? value.message : undefined;
  } catch {
    return undefined;
  }
}

/** A body over the limit may be cut off while it is still being sent: then its answer is lost on the way. */
export function mayBeCutOff({ body }: FuzzRequest): boolean {
  return (body?.length ?? 0) > BODY_LIMIT;
}

/** The line of a request in a report. */
export function describe({ method, target, body }: FuzzRequest): string {
  const text = body === undefined ? "" : ` ${body.toString("utf8", 0, 200)}`;
  return `${method} ${target.slice(0, 120)}${text}${(body?.length ?? 0) > 200 ? `… (${body?.length} bytes)` : ""}`;
}
