import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { z } from "zod";
import { KubeError, KubeUnreachable, type WatchEvent } from "./kube-api.ts";
import type { Kind } from "./kinds.ts";

const Line = z.object({ type: z.string(), object: z.unknown() });
const Bookmark = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const Failure = z.object({
  code: z.number().default(500),
  message: z.string().default(""),
  reason: z.string().optional(),
});

type Reading<K extends Kind> = {
  readonly schema: z.ZodType;
  readonly onEvent: (event: WatchEvent<K>) => void;
  readonly signal: AbortSignal;
};

/**
 * Reads the events of a watch, one JSON object per line, until its stream ends. An ERROR event is a `KubeError`, for
 * example 410 when the resource version is too old; a broken stream is a `KubeUnreachable`.
 */
export async function watchStream<K extends Kind>(
  stream: Readable,
  { schema, onEvent, signal }: Reading<K>,
): Promise<void> {
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  // Destroying the stream alone would leave the line reader waiting.
  const stop = (): void => broken.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  stream.once("error", (error) => broken.reject(error));
  try {
    const lines = createInterface({ input: stream, crlfDelay: Infinity })[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await Promise.race([lines.next(), broken.promise]);
      if (done === true) break;
      const event = eventOf<K>(value, schema);
      if (event) onEvent(event);
    }
  } catch (error) {
    if (error instanceof KubeError) throw error;
    if (!signal.aborted) throw new KubeUnreachable(`the watch broke: ${String(error)}`, { cause: error });
  } finally {
    signal.removeEventListener("abort", stop);
    stream.destroy();
  }
  if (signal.aborted) throw signal.reason;
}

function eventOf<K extends Kind>(text: string, schema: z.ZodType): WatchEvent<K> | undefined {
  if (text.trim() === "") return undefined;
  const { type, object } = Line.parse(JSON.parse(text));
  if (type === "ERROR") {
    const { code, message, reason } = Failure.parse(object);
    throw new KubeError(code, message, { reason });
  }
  if (type === "BOOKMARK") return { type, resourceVersion: Bookmark.parse(object).metadata.resourceVersion };
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") return undefined;
  const parsed = schema.safeParse(object);
  // A strange object must not end the watch of all others.
  return parsed.success ? ({ type, object: parsed.data } as WatchEvent<K>) : undefined; // the schema of this kind
}
