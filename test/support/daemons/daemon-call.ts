import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";

/** A request as `docker` itself would send it. */
export type DaemonRequest = {
  readonly method: "GET" | "POST" | "DELETE";
  /** `/containers/json?all=1` */
  readonly path: string;
  readonly body?: object;
  /** A tar archive instead of a body. */
  readonly archive?: Buffer;
};

/** `body` is JSON if the answer is, else its text. */
export type DaemonReply = { readonly status: number; readonly body: unknown };

const TIMEOUT_MS = 60_000;

/** The socket of `unix:///…`. */
export function socketOf(host: string): string {
  if (!host.startsWith("unix://")) throw new Error(`tests need a daemon at unix:///…, not at ${host}`);
  return host.slice("unix://".length);
}

/** Asks a daemon for what the engine's own client can't; resolves for each status. */
export async function daemonCall(socketPath: string, call: DaemonRequest): Promise<DaemonReply> {
  const { method, path, body, archive } = call;
  const type = archive ? "application/x-tar" : "application/json";
  const asked = request({
    socketPath,
    method,
    path,
    // One connection each: a daemon that is killed in between leaves no broken one behind.
    agent: false,
    headers: body || archive ? { "content-type": type } : {},
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  asked.end(archive ?? (body && JSON.stringify(body)));
  const [answer] = (await once(asked, "response")) as [IncomingMessage]; // Node's event
  const said = (await buffer(answer)).toString();
  return { status: answer.statusCode ?? 0, body: bodyOf(said) };
}

function bodyOf(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return said;
  }
}
