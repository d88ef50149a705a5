import { NotServed } from "./not-served.ts";

/** The API sets no limit; `openapi.yaml` documents ours (TooLarge). */
export const bodyLimitBytes = 1_000_000;

/**
 * Reads the JSON body of a request; undefined without a body. Refuses invalid or incomplete JSON with 400, and a body
 * over the limit with 413: by its `Content-Length` before a byte is read, else as soon as the limit is passed.
 */
export async function jsonBody(request: Request): Promise<unknown> {
  if (Number(request.headers.get("content-length") ?? 0) > bodyLimitBytes) throw tooLarge();
  const bytes = await limitedBytes(request).catch((error: unknown) => {
    if (error instanceof NotServed) throw error;
    throw new NotServed(400, "the body is incomplete: send it again");
  });
  if (bytes.length === 0) return undefined;
  if (!isJson(request.headers.get("content-type"))) {
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

function isJson(contentType: string | null): boolean {
  return contentType?.split(";")[0]?.trim().toLowerCase() === "application/json";
}

/** The parser's own message is neither sent nor logged: it quotes the body, which may hold secrets. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new NotServed(400, "the body isn't valid JSON in UTF-8");
  }
}

function tooLarge(): NotServed {
  return new NotServed(413, `the body is larger than ${bodyLimitBytes} bytes: send less`);
}
