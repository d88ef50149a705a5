import type { z } from "zod";
import type { Clock } from "../platform/clock.ts";
import { answerFits, answerShapes, listsInSlices, type ParsedAnswer } from "./answers.ts";
import { isStatusOnly, type Exchange, retryAfterSeconds } from "./exchange.ts";
import { unexpected, refusal } from "./problem.ts";
import type { OperationId } from "./operations.ts";
import { fewAtATime } from "../platform/turns.ts";
import { parseSliced } from "./sliced-json.ts";
import { isHtml, errorSentence, insteadIn, displayable, type Secret } from "./service-message.ts";
import { jsonIn } from "../platform/optional.ts";

export type Decoding<Op extends OperationId> = {
  readonly op: Op;
  /** Removed from everything the API says. */
  readonly secrets: readonly Secret[];
  readonly clock: Pick<Clock, "now">;
  /** A long list may lack what no list shows. */
  readonly isBrief: boolean;
};

/** From here on, reading a list takes so long that others would notice: about a thousand workloads. */
const LONG = 256 * 1024;

/** A text that is parsed at once takes ten times as much memory. */
const MOST_AT_ONCE = 16 * 1024 * 1024;

/** Parses the answer of an operation. Throws a Problem for a refusal or an answer that isn't of this API. */
export async function decode<Op extends OperationId>(
  exchange: Exchange,
  { op, secrets, clock, isBrief }: Decoding<Op>,
): Promise<ParsedAnswer<Op>> {
  const { status, headers, chunks } = exchange;
  if (status >= 400 && status < 600) {
    const text = new TextDecoder().decode(Buffer.concat(chunks));
    const detail = errorSentence(text, secrets);
    const instead = status === 404 ? insteadIn(text, secrets) : undefined;
    const retryAfter = retryAfterSeconds(headers, clock.now().getTime());
    throw refusal({ op, status, detail, instead, retryAfterSeconds: retryAfter });
  }
  if (status < 200 || status > 299) throw unexpected(op, statusText(status, headers, secrets), status);
  const long = isLongList(op, chunks) ? await longDecodes(() => longList(op, chunks, { isBrief })) : undefined;
  if (long !== undefined) return long as ParsedAnswer<Op>; // of this operation
  if (sizeOf(chunks) > MOST_AT_ONCE) throw unexpected(op, "invalid or incomplete JSON", status);
  const body = bodyOf(exchange, { op, secrets });
  if (answerFits[op](body)) return body as ParsedAnswer<Op>; // the schema would return the same
  const shape: z.ZodType = answerShapes[op];
  const read = shape.safeParse(body);
  if (!read.success) throw unexpected(op, mismatch(body, read.error), status);
  return read.data as ParsedAnswer<Op>; // the shape of `op` has this output
}

function bodyOf({ status, chunks }: Exchange, { op, secrets }: Pick<Decoding<OperationId>, "op" | "secrets">): unknown {
  const [first, ...more] = chunks;
  const bytes = first !== undefined && more.length === 0 ? first : Buffer.concat(chunks);
  const text = isStatusOnly(op) ? new TextDecoder().decode(bytes) : utf8Of(bytes);
  if (text === undefined) throw unexpected(op, "text that isn't UTF-8", status);
  // The login page of a proxy also comes with 200.
  // Only the start counts: a log line can contain HTML.
  const start = text.slice(0, 200).trimStart();
  if (start.startsWith("<") && isHtml(start)) throw unexpected(op, "a web page instead of data", status);
  return isStatusOnly(op) ? jsonOrSentence(text, secrets) : jsonOf(text, op, status);
}

const strictly = new TextDecoder("utf-8", { fatal: true });

/** Undefined when the bytes aren't UTF-8. */
function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return strictly.decode(bytes);
  } catch {
    return undefined;
  }
}

/** More lists at once would take the memory of all of them, and end no sooner. A second one, so that a short list needn't wait for a huge one. */
const longDecodes = fewAtATime(2);

type Lists = keyof typeof listsInSlices;

function isLongList(op: OperationId, chunks: readonly Uint8Array[]): op is Lists {
  return op in listsInSlices && sizeOf(chunks) >= LONG;
}

/** Undefined when it is no such list; it is then parsed at once. */
async function longList(
  op: Lists,
  chunks: readonly Uint8Array[],
  { isBrief }: Pick<Decoding<OperationId>, "isBrief">,
): Promise<object | undefined> {
  const { key, ...readers } = listsInSlices[op];
  const read = isBrief ? readers.readBrief : readers.read;
  const items: unknown[] = [];
  let entries = 0;
  const take = (some: readonly unknown[]): void => {
    entries += some.length;
    for (const each of some) items.push(...read(each));
  };
  const rest = await parseSliced(textIn(chunks), { key, take }).catch(() => undefined);
  const answer = rest && answerShapes[op].safeParse(rest).data;
  return answer && { ...answer, [key]: items, skipped: entries - items.length };
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Throws when it isn't UTF-8. */
function* textIn(chunks: readonly Uint8Array[]): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function statusText(status: number, headers: Exchange["headers"], secrets: readonly Secret[]): string {
  if (status < 300 || status > 399) return `the unexpected status ${status}`;
  const location = headers.get("location") ?? "";
  const host = URL.canParse(location) ? displayable(new URL(location).host, secrets) : undefined;
  return host === undefined ? `a redirect (${status})` : `a redirect (${status}) to ${host}`;
}

/** For operations whose success is the status alone. */
function jsonOrSentence(text: string, secrets: readonly Secret[]): unknown {
  const value = jsonIn(text);
  return value === undefined ? displayable(text, secrets) : value;
}

function jsonOf(text: string, op: OperationId, status: number): unknown {
  if (!/\S/u.test(text)) throw unexpected(op, "an empty answer", status);
  const value = jsonIn(text);
  if (value === undefined) throw unexpected(op, "invalid or incomplete JSON", status);
  return value;
}

/** Describes the difference without repeating anything from the body. */
function mismatch(body: unknown, error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue?.code === "custom") return `unexpected data (${issue.message})`;
  const where = issue?.path.map(String).join(".") ?? "";
  if (where !== "") return `unexpected data (${where} is missing or invalid)`;
  const wanted = issue?.code === "invalid_type" && issue.expected === "array" ? "a list" : "an object";
  return `${kindOf(body)} instead of ${wanted}`;
}

function kindOf(body: unknown): string {
  if (body === null) return "null";
  if (Array.isArray(body)) return "a list";
  return typeof body === "object" ? "an object" : `a ${typeof body}`;
}
