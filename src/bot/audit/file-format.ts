import { z } from "zod";
import {
  type AuditFields,
  chainNotes,
  type ChainPoint,
  erasedValues,
  isSigned,
  personalFields,
  type SaltedEvent,
} from "./chain.ts";
import { type ChainedEvent, createChecker, type Finding } from "./check.ts";

/** Of the lines of an export, and of the events that the webhook and stdout get. docs/audit.md describes it. */
export const FORMAT = 1;

const text = z.string();
const orNull = z.string().nullable();
const whole = z.number().int().min(0);

const perField = z.partialRecord(z.enum(personalFields), z.string());
const Workload = z.strictObject({ kind: orNull, region: orNull, name: orNull });

const EventLine = z.strictObject({
  type: z.literal("event"),
  number: whole,
  seq: whole,
  at: text,
  kind: text,
  teamId: text,
  changeId: orNull,
  userId: orNull,
  userName: orNull,
  channelId: orNull,
  verb: orNull,
  workload: Workload,
  account: orNull,
  rule: orNull,
  breakGlass: z.boolean(),
  result: orNull,
  elapsedMs: z.number().nullable(),
  reference: orNull,
  note: z.enum(chainNotes).optional(),
  salt: text.optional(),
  erased: z.strictObject({ commitments: perField, salts: perField, signature: text }).optional(),
  digest: text,
  hash: text,
});

const HiddenLine = z.strictObject({ type: z.literal("hidden"), number: whole, digest: text, hash: text });

const Point = z.strictObject({ number: whole, hash: text });
const Asked = z.strictObject({ teamId: orNull, from: orNull, to: orNull });

const HeadLine = z.strictObject({
  type: z.literal("gantry-audit"),
  version: z.literal(FORMAT),
  chain: text,
  publicKey: text,
  exportedAt: text,
  asked: Asked,
  /** The event before the first line. */
  after: Point,
});
export type HeadLine = z.infer<typeof HeadLine>;

const EndLine = z.strictObject({
  type: z.literal("end"),
  /** The last event of the file. */
  last: Point,
  /** Numbers of the events that are shown, as "1-40,43". */
  shown: text,
  /** The public key, sealed with Gantry's key: proof of whose it is. */
  attestation: text,
  signature: text,
});
type EndLine = z.infer<typeof EndLine>;

/** A line about an event; without content, only its place in the chain. */
export function eventLine(event: ChainedEvent, content: SaltedEvent | undefined): string {
  const { number, digest, hash } = event;
  if (content === undefined) return JSON.stringify({ type: "hidden", number, digest, hash });
  const { fields, note, salt, erased } = content;
  const { workloadKind: kind, workloadRegion: region, workloadName: name } = fields;
  const line: z.infer<typeof EventLine> = {
    type: "event",
    number,
    seq: fields.seq,
    at: fields.at,
    kind: fields.kind,
    teamId: fields.teamId,
    changeId: fields.changeId,
    userId: fields.userId,
    userName: fields.userName,
    channelId: fields.channelId,
    verb: fields.verb,
    workload: { kind, region, name },
    account: fields.account,
    rule: fields.rule,
    breakGlass: fields.breakGlass,
    result: fields.result,
    elapsedMs: fields.elapsedMs,
    reference: fields.reference,
    ...(note && { note }),
    ...(salt !== undefined && erased === undefined && { salt }),
    ...(erased && { erased }),
    digest,
    hash,
  };
  return JSON.stringify(line);
}

function contentOf(line: z.infer<typeof EventLine>): SaltedEvent {
  const { workload, note, salt, erased, type: _, number: __, digest: ___, hash: ____, ...rest } = line;
  const fields: AuditFields = {
    ...rest,
    workloadKind: workload.kind,
    workloadRegion: workload.region,
    workloadName: workload.name,
  };
  return { fields, note, salt, erased };
}

/** Collects the numbers of shown events as ranges. */
export function createRanges() {
  const ranges: [number, number][] = [];
  return {
    add(number: number): void {
      const last = ranges.at(-1);
      if (last !== undefined && last[1] + 1 === number) last[1] = number;
      else ranges.push([number, number]);
    },
    text: (): string => ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(","),
  };
}

/** What the signature of an export covers. */
export function endValues(head: HeadLine, { last, shown }: Pick<EndLine, "last" | "shown">): readonly unknown[] {
  const { chain, version, exportedAt, asked, after } = head;
  const { teamId, from, to } = asked;
  const points = [after.number, after.hash, last.number, last.hash];
  return ["export", chain, version, exportedAt, teamId, from, to, ...points, shown];
}

export type Verdict = {
  readonly finding: Finding | undefined;
  /** As far as the file is intact. */
  readonly events: number;
  readonly last: ChainPoint | undefined;
  readonly head: HeadLine | undefined;
  /** Undefined when the file is broken before its end. */
  readonly attestation: string | undefined;
};

/** Reads an export line by line. What it finds is the first event that was changed, removed, moved or inserted. */
export async function checkLines(lines: AsyncIterable<string> | Iterable<string>): Promise<Verdict> {
  let head: HeadLine | undefined;
  let checker: ReturnType<typeof createChecker> | undefined;
  let end: EndLine | undefined;
  /** Events that are missing where they belong: they may come later. */
  let missing: Finding | undefined;
  let events = 0;
  const shown = createRanges();
  const verdict = (finding: Finding | undefined): Verdict => ({
    finding,
    events,
    last: checker?.at(),
    head,
    attestation: finding === undefined ? end?.attestation : undefined,
  });
  let at = 0;
  for await (const line of lines) {
    at += 1;
    if (line === "" && end !== undefined) continue;
    const data = parsed(line);
    if (missing !== undefined) {
      if (numberIn(data) === missing.number) {
        return verdict({ number: missing.number, says: `Event ${missing.number} isn't in its place: it comes later.` });
      }
      continue;
    }
    if (checker === undefined || head === undefined) {
      const read = HeadLine.safeParse(data);
      if (!read.success) return verdict(brokenHead(data));
      head = read.data;
      checker = createChecker(head.chain, head.after);
      continue;
    }
    if (end !== undefined) return verdict({ number: undefined, says: `Line ${at} comes after the end of the export.` });
    const expected = checker.at().number + 1;
    const type = typeof data === "object" && data !== null && "type" in data ? data.type : undefined;
    if (type === "end") {
      const read = EndLine.safeParse(data);
      if (!read.success) return verdict({ number: undefined, says: "The last line was changed." });
      end = read.data;
      const finding = wrongEnd(head, end, { last: checker.at(), shown: shown.text() });
      if (finding !== undefined) return verdict(finding);
      continue;
    }
    const read = z.union([EventLine, HiddenLine]).safeParse(data);
    if (!read.success)
      return verdict({ number: expected, says: `Line ${at} was changed: it should be event ${expected}.` });
    const content = read.data.type === "event" ? contentOf(read.data) : undefined;
    const { number, digest, hash } = read.data;
    const finding = checker.next({ number, digest, hash, contents: content && [content] });
    if (finding !== undefined && number > expected) missing = finding;
    else if (finding !== undefined) return verdict(finding);
    else if (content !== undefined) {
      const { fields, erased } = content;
      if (erased && !isSigned(head.publicKey, erasedValues(head.chain, { fields, erased }), erased.signature)) {
        return verdict({ number, says: `Event ${number} was changed: Gantry didn't erase the missing fields.` });
      }
      events += 1;
      shown.add(number);
    }
  }
  if (missing !== undefined) return verdict(missing);
  if (head === undefined) return verdict({ number: undefined, says: "The file is empty." });
  if (end === undefined) {
    const last = checker?.at().number ?? head.after.number;
    const where = last === head.after.number ? `before event ${last + 1}` : `after event ${last}`;
    return verdict({ number: last + 1, says: `The file is cut off ${where}.` });
  }
  return verdict(undefined);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function numberIn(data: unknown): unknown {
  return typeof data === "object" && data !== null && "number" in data ? data.number : undefined;
}

function brokenHead(data: unknown): Finding {
  const version = typeof data === "object" && data !== null && "version" in data ? data.version : undefined;
  const isOther = typeof version === "number" && version !== FORMAT;
  const says = isOther
    ? `The file has version ${version} of the format; this Gantry knows ${FORMAT}.`
    : "The first line was changed, or this is no export of `audit export`.";
  return { number: undefined, says };
}

function wrongEnd(
  head: HeadLine,
  end: EndLine,
  found: { readonly last: ChainPoint; readonly shown: string },
): Finding | undefined {
  const { last } = found;
  if (end.last.number > last.number) {
    const number = last.number + 1;
    return { number, says: `Events ${number} to ${end.last.number} were removed from the end.` };
  }
  const isSame = end.last.number === last.number && end.last.hash === last.hash;
  if (isSame && isSigned(head.publicKey, endValues(head, end), end.signature)) {
    return end.shown === found.shown ? undefined : { number: undefined, says: hiddenText(end.shown, found.shown) };
  }
  return {
    number: undefined,
    says: "The first or the last line was changed, or the chain was computed again by somebody without its key: nothing in this file can be trusted.",
  };
}

function hiddenText(signed: string, found: string): string {
  const number = firstNumber(signed, found);
  return `What event ${number} says was removed, or shown although it wasn't exported.`;
}

/** The first number that is in one of the two lists of ranges alone. */
function firstNumber(one: string, other: string): number | undefined {
  const edges = new Map<number, number>();
  for (const [list, weight] of [
    [one, 1],
    [other, -1],
  ] as const) {
    // both sides
    for (const range of list.split(",").filter((part) => part !== "")) {
      const [from = 0, to = from] = range.split("-").map(Number);
      edges.set(from, (edges.get(from) ?? 0) + weight);
      edges.set(to + 1, (edges.get(to + 1) ?? 0) - weight);
    }
  }
  return [...edges].toSorted(([a], [b]) => a - b).find(([, change]) => change !== 0)?.[0];
}
