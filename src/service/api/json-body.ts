import { NotServed } from "./answers.ts";

/** The API sets no limit; `openapi.yaml` documents ours (TooLarge). */
const bodyLimitBytes = 1_000_000;

/**
 * Reads the JSON body of a request; undefined without a body. Refuses invalid, ambiguous or incomplete JSON with 400, a
 * compressed body with 415, and a body over the limit with 413: by its `Content-Length` before a byte is read, else as
 * soon as the limit is passed.
 */
export async function jsonBody(request: Request): Promise<unknown> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new NotServed(415, "the body is encoded: send it as it is, without the header Content-Encoding");
  }
  if (Number(request.headers.get("content-length") ?? 0) > bodyLimitBytes) throw tooLarge();
  const bytes = await limitedBytes(request).catch((error: unknown) => {
    if (error instanceof NotServed) throw error;
    throw new NotServed(400, "the body is incomplete: send it again");
  });
  if (bytes.length === 0) return undefined;
  if (request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new NotServed(400, "the body must be JSON: send the header Content-Type: application/json");
  }
  return parsed(bytes);
}

async function limitedBytes(request: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > bodyLimitBytes) {
      await reader?.cancel();
      throw tooLarge();
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}

/** The parser's own message is neither sent nor logged: it quotes the body, which may hold secrets. */
function parsed(bytes: Buffer): unknown {
  let text: string;
  let body: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    body = JSON.parse(text);
  } catch {
    throw new NotServed(400, "the body isn't valid JSON in UTF-8");
  }
  const repeated = repeatedName(text);
  if (repeated === undefined) return body;
  const shown = /^\w{1,40}$/u.test(repeated) ? repeated : "a name in the body";
  throw new NotServed(400, `${shown} occurs twice in one object: send it once`);
}

/** The parts of valid JSON that tell its objects apart. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(?<name>\s*:)?|[{}]/gu;

/**
 * The first name that an object of this valid JSON has twice; `JSON.parse` keeps the last value without a word. Not by a
 * library: those that tell recurse, and a body can be nested deeper than the stack.
 */
function repeatedName(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const { 0: token, groups } of json.matchAll(TOKENS)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (groups?.["name"] !== undefined) {
      const name = JSON.parse(token.slice(0, token.lastIndexOf(":"))) as string; // a string, by the pattern
      if (open.at(-1)?.has(name) === true) return name;
      open.at(-1)?.add(name);
    }
  }
  return undefined;
}

function tooLarge(): NotServed {
  return new NotServed(413, `the body is larger than ${bodyLimitBytes} bytes: send less`);
}
