import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { DaemonConnection, DaemonRequest } from "./daemon-connection.ts";
import { DaemonError } from "./daemon-error.ts";

export type DaemonCall = Pick<DaemonRequest, "method" | "path" | "headers" | "signal"> & {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** How long a whole answer may take. */
  readonly limitMs?: number;
};

export type DaemonReply = { readonly status: number; readonly body: unknown };

/** A daemon under load may take long to create or remove a container. One that hangs is noticed by daemon-health.ts. */
const READ_LIMIT_MS = 30_000;
const WRITE_LIMIT_MS = 120_000;

/** Resolves to the answer's stream, whatever its status. Rejects with a `DaemonError` without a status. */
export async function ask(daemon: DaemonConnection, call: DaemonCall): Promise<IncomingMessage> {
  const { method, path, query = {}, body, headers = {}, signal } = call;
  const search = new URLSearchParams(query).toString();
  return await daemon.send({
    method,
    path: search === "" ? path : `${path}?${search}`,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    body: body && JSON.stringify(body),
    signal,
  });
}

/**
 * The whole answer. Rejects with a `DaemonError` for a status of 400 and above, unless it is one of `passes`, and when
 * the answer doesn't arrive.
 */
export async function askOnce(
  daemon: DaemonConnection,
  call: DaemonCall,
  passes: readonly number[] = [],
): Promise<DaemonReply> {
  const { status, body } = await received(daemon, call);
  if (status >= 400 && !passes.includes(status)) throw new DaemonError(status, messageOf(body));
  return { status, body };
}

async function received(daemon: DaemonConnection, call: DaemonCall): Promise<DaemonReply> {
  const limitMs = call.limitMs ?? (call.method === "GET" ? READ_LIMIT_MS : WRITE_LIMIT_MS);
  const limit = AbortSignal.timeout(limitMs);
  const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit;
  try {
    const answer = await ask(daemon, { ...call, signal });
    return { status: answer.statusCode ?? 0, body: parsed(await text(answer)) };
  } catch (error) {
    if (limit.aborted) throw new DaemonError(undefined, `it didn't answer in ${limitMs / 1_000} s`, { cause: error });
    if (error instanceof DaemonError) throw error;
    throw new DaemonError(undefined, error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** JSON, or the text itself. */
export function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Docker says `message`; Podman adds a `cause`. */
export function messageOf(body: unknown): string {
  if (typeof body === "object" && body !== null && "message" in body) return String(body.message);
  return String(body).trim();
}
