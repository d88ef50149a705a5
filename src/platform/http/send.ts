import { type Readable, pipeline } from "node:stream";
import { constants, createBrotliDecompress, createGunzip } from "node:zlib";
import type { Clock } from "../clock.ts";
import { type Dispatcher, Headers as UndiciHeaders, request, Response as UndiciResponse } from "undici";

/** Node's own would load a second undici. */
// oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- test/browser knows the browser's global
export const Headers = UndiciHeaders as unknown as typeof globalThis.Headers; // the same standard
// oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- as above
export const Response = UndiciResponse as unknown as typeof globalThis.Response; // the same standard

export type Outgoing = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
};

/** An answer whose body is read in the parts in which it comes, after decompression. */
export type Incoming = {
  readonly status: number;
  readonly headers: {
    /** In any case. */
    readonly get: (name: string) => string | null;
    readonly entries: () => Iterable<[string, string]>;
  };
  /** The next part; undefined at the end. Rejects when the answer breaks off or the signal is aborted. */
  readonly read: () => Promise<Uint8Array | undefined>;
  /** Drops what wasn't read. Ends a read in progress, too. */
  readonly end: () => void;
};

/** Sends a request. Rejects without an answer; with the signal's reason once that is aborted. Redirects aren't followed. */
export type Send = (url: string, outgoing: Outgoing) => Promise<Incoming>;

/** As `fetch` accepts them over an unencrypted connection. */
const ACCEPTED = { "accept-encoding": "gzip, br", accept: "*/*", "user-agent": "gantry" };

/** Undici's `request`, which costs a quarter of `fetch`: no streams of the web, no copies of headers. */
export function createSend(dispatcher?: Dispatcher): Send {
  return async (url, { method, headers, body, signal }) => {
    const answer = await request(url, {
      method,
      headers: { ...ACCEPTED, ...headers },
      body: body ?? null,
      signal,
      ...(dispatcher && { dispatcher }),
    });
    const told = headersOf(answer.headers);
    const content = decompressed(answer.body, told.get("content-encoding"));
    return { status: answer.statusCode, headers: told, read: partsOf(content), end: () => void content.destroy() };
  };
}

/** Reads the next part. A stream's own iterator costs as much as the rest of a short answer. */
function partsOf(content: Readable): Incoming["read"] {
  let wake = (): void => undefined;
  const changed = (): void => wake();
  // An error closes the stream, and the next read throws it.
  content.on("readable", changed).on("end", changed).on("close", changed).on("error", changed);
  return async () => {
    for (;;) {
      const part: Uint8Array | null = content.destroyed ? null : content.read();
      if (part !== null) return part;
      if (content.readableEnded) return undefined;
      if (content.destroyed) throw content.errored ?? new Error("the answer broke off");
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
}

function headersOf(headers: Dispatcher.ResponseData["headers"]): Incoming["headers"] {
  const valueOf = (name: string): string | null => headers[name]?.toString() ?? null;
  return {
    get: (name) => valueOf(name.toLowerCase()),
    entries: () => Object.keys(headers).map((name): [string, string] => [name, valueOf(name) ?? ""]),
  };
}

/** A server that sends something else than we accept isn't understood. */
function decompressed(body: Readable, encoding: string | null): Readable {
  const unzip =
    encoding === "gzip"
      ? createGunzip()
      : encoding === "br"
        ? createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
        : undefined;
  // Each of them ends when the other one breaks off.
  return unzip === undefined ? body : pipeline(body, unzip, () => undefined);
}

/** Calls what answers in this process, which needs no socket. */
export function sendTo(fetch: (request: Request) => Promise<Response>): Send {
  return async (url, { body, ...outgoing }) =>
    incomingOf(await fetch(new Request(url, { ...outgoing, body: body ?? null, redirect: "manual" })));
}

function incomingOf({ status, headers, body }: Response): Incoming {
  const reader = body?.getReader();
  return {
    status,
    headers,
    async read() {
      const part = await reader?.read();
      // A stream may hold anything.
      if (part?.value !== undefined && !(part.value instanceof Uint8Array)) throw new TypeError("a body without bytes");
      return part?.value;
    },
    end: () => void reader?.cancel().catch(() => undefined),
  };
}

const utf8 = new TextDecoder();

/** An answer read whole. */
export type Answer = Pick<Incoming, "status" | "headers"> & { readonly text: string };

/**
 * Sends a request and reads its answer, or the beginning of it. Rejects as `fetch` does: with the reason of the signal, and
 * with a TypeError without a connection or when it breaks off.
 */
export async function answerTo(
  send: Send,
  url: string,
  { mostBytes = Number.POSITIVE_INFINITY, ...outgoing }: Outgoing & { readonly mostBytes?: number },
): Promise<Answer> {
  try {
    const { status, headers, read, end } = await send(url, outgoing);
    const parts: Uint8Array[] = [];
    for (let left = mostBytes; left > 0;) {
      const part = await read();
      if (part === undefined) break;
      parts.push(part.subarray(0, left));
      left -= part.byteLength;
    }
    end();
    return { status, headers, text: utf8.decode(Buffer.concat(parts)) };
  } catch (cause) {
    throw outgoing.signal.aborted ? cause : new TypeError("no connection, or it broke off", { cause });
  }
}

export type Posting = {
  readonly json: string;
  /** For the whole answer, in milliseconds. */
  readonly withinMs: number;
};

/** Posts JSON. Rejects as `answerTo` does: with a TimeoutError when it takes too long. */
export type Post = (url: string, posting: Posting) => Promise<Answer>;

/** More of an answer to a post isn't read. */
const MOST_BYTES = 64 * 1024;

export function createPost(send: Send, clock: Pick<Clock, "after">): Post {
  return async (url, { json, withinMs }) => {
    const limit = new AbortController();
    const timer = clock.after(withinMs, () => limit.abort(new DOMException("no answer in time", "TimeoutError")));
    const headers = { "content-type": "application/json; charset=utf-8" };
    const posted = { method: "POST", headers, body: json, signal: limit.signal, mostBytes: MOST_BYTES };
    try {
      return await answerTo(send, url, posted);
    } finally {
      timer.cancel();
    }
  };
}

const CODES: readonly string[] = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"];

/** Whether the other side closed the connection: before its answer, or in the middle of it. */
export function isHangUp(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Undici has no code for an answer that breaks off between its chunks.
  return ("code" in error && CODES.includes(String(error.code))) || error.message.includes("(Invalid EOF state)");
}
