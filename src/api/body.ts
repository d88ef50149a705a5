export type Body = {
  readonly bytes: Uint8Array;
  /** `limit`: there was more than allowed; `cut`: the connection broke off, or the signal was aborted. */
  readonly end: "whole" | "limit" | "cut";
};

/**
 * Reads a body, at most `limitBytes` of it: the rest is never taken from the wire. Never throws. Bytes are counted after
 * decompression, so a small bomb does not pass either.
 */
export async function readBody(response: Response, limitBytes: number, signal: AbortSignal): Promise<Body> {
  const chunks: Uint8Array[] = [];
  const end = await collect(response, { chunks, limitBytes, signal }).catch(() => "cut" as const);
  return { bytes: Buffer.concat(chunks), end };
}

type Collecting = { readonly chunks: Uint8Array[]; readonly limitBytes: number; readonly signal: AbortSignal };

async function collect(response: Response, { chunks, limitBytes, signal }: Collecting): Promise<Body["end"]> {
  if (response.body === null) return "whole";
  const reader = response.body.getReader();
  // Cancelling ends a pending read at once, also that of a stream which knows nothing of the signal.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    let left = limitBytes;
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) return signal.aborted ? "cut" : "whole";
      if (!(value instanceof Uint8Array)) return "cut";
      chunks.push(value.subarray(0, left));
      if (value.byteLength > left) return "limit";
      left -= value.byteLength;
    }
    return "cut";
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** The text of a body; undefined when it is not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
