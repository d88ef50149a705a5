import { DataError } from "../../errors.ts";
import { readTrouble } from "../entry.ts";
import { createReadStream } from "node:fs";
import { createSealer, type Sealer } from "../../accounts/seal.ts";
import type { ChainPoint } from "../../audit/chain.ts";
import {
  checkLines,
  createRanges,
  endValues,
  eventLine,
  FORMAT,
  type HeadLine,
  type Verdict,
} from "../../audit/file-format.ts";
import { loadTls } from "../../../platform/database/database-tls.ts";
import { chainAfter, type ChainReader, checkDatabase } from "../../store/audit/read-chain.ts";
import { keysOf, readHead } from "../../store/audit/chain-rows.ts";
import { type UnsharedPlace, readingCurrentStore } from "../../store/database/inspect.ts";
import { textSealer } from "../../store/database/text-sealer.ts";
import type { Config } from "../config.ts";
import { configuredKeyring } from "../keys.ts";

type Settings = Pick<Config, "keys" | "dataDir" | "store">;

/** Opens the database of these settings to read it, also while Gantry runs. */
export function withChain<Result>(settings: Settings, work: (chain: Chain) => Promise<Result>): Promise<Result> {
  const keyring = configuredKeyring(settings);
  if ("problem" in keyring) throw new DataError(`${keyring.problem}.`);
  const sealer = createSealer(keyring.keys);
  return readingCurrentStore(placeOf(settings), (db) =>
    work({ reader: { db, textSealer: textSealer(sealer) }, sealer }),
  );
}

/** Where these settings keep the database. An export of a large one takes longer than a person waits for. */
export function placeOf({ store, dataDir }: Settings): UnsharedPlace {
  if (store.kind === "sqlite") return { kind: "sqlite", dataDir };
  try {
    return { ...store, tls: loadTls(store.tls), statementTimeoutMs: 60_000 };
  } catch (cause) {
    throw new DataError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

type Chain = { readonly reader: ChainReader; readonly sealer: Sealer };

async function headAndKeys({ reader, sealer }: Chain) {
  const head = await readHead(reader);
  if (head === undefined)
    throw new DataError("There is no chain yet: this database has no history. Start Gantry first.");
  try {
    return { head, keys: keysOf(sealer, head) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DataError(`The key of the audit chain can't be opened. ${why}`, { cause });
  }
}

export type Asked = HeadLine["asked"];

/**
 * The lines of an export. With a workspace or times, events between the first and the last one that don't match are
 * there without their content: so nobody can leave one out unseen.
 */
export async function* exportLines(chain: Chain, asked: Asked, now: Date): AsyncGenerator<string> {
  const { head, keys } = await headAndKeys(chain);
  const shown = createRanges();
  let start: HeadLine | undefined;
  let last: ChainPoint = head.first;
  /** Hidden ones after the last match: they are left out if no other match follows. */
  let between: { readonly line: string; readonly point: ChainPoint }[] = [];
  const begin = (after: ChainPoint): string => {
    start = {
      type: "gantry-audit",
      version: FORMAT,
      chain: keys.chain,
      publicKey: keys.publicKey(),
      exportedAt: now.toISOString(),
      asked,
      after,
    };
    return JSON.stringify(start);
  };
  for await (const { event, teamId, at } of chainAfter(chain.reader, head.first.number)) {
    const point = { number: event.number, hash: event.hash };
    const isAsked =
      (asked.teamId === null || asked.teamId === teamId) &&
      (asked.from === null || at >= asked.from) &&
      (asked.to === null || at < asked.to);
    if (!isAsked) {
      if (start === undefined) last = point;
      else between.push({ line: eventLine(event, undefined), point });
      continue;
    }
    if (start === undefined) yield begin(last);
    for (const { line } of between) yield line;
    between = [];
    const content = event.contents?.[0];
    if (content !== undefined) shown.add(event.number);
    yield eventLine(event, content);
    last = point;
  }
  if (start === undefined) yield begin(last);
  if (start === undefined) return;
  const end = { last, shown: shown.text() };
  const signature = keys.sign(endValues(start, end));
  const attestation = chain.sealer.seal(keys.publicKey(), attested(keys.chain));
  yield JSON.stringify({ type: "end", ...end, attestation, signature });
}

function attested(chain: string): readonly string[] {
  return ["audit public key", chain];
}

export type Report = {
  /** `unproven`: nothing was changed inside it, and nothing proves whose it is. */
  readonly state: "intact" | "broken" | "unproven";
  readonly says: string;
};

/** Checks the database. Changes nothing. */
export async function verifyDatabase(chain: Chain): Promise<Report> {
  const { keys } = await headAndKeys(chain);
  const { finding, events, waiting, head } = await checkDatabase(chain.reader, keys);
  const { first = 0, last = 0 } = { first: head?.first.number, last: head?.last.number };
  if (finding !== undefined) {
    // Without a number, it is the head, and nothing was checked, or a row after the whole chain.
    const before = finding.number === undefined ? events > 0 : finding.number > first + 1;
    return { state: "broken", says: `${finding.says}${before ? " The events before it are intact." : ""}` };
  }
  const what = events === 0 ? "No event has joined the chain yet." : `Events ${first + 1} to ${last} are intact.`;
  const later =
    waiting === 0
      ? ""
      : ` ${waiting === 1 ? "One more joins" : `${waiting} more join`} within seconds, while Gantry runs.`;
  return { state: "intact", says: `${what}${later}\nPublic key: ${keys.publicKey()}` };
}

export type Proof = {
  /** Public keys that the reader trusts. */
  readonly publicKeys: readonly string[];
  /** Of this machine's Gantry, if it has keys. */
  readonly sealer: Sealer | undefined;
};

/** Checks an export, without a database. */
export async function verifyLines(lines: AsyncIterable<string> | Iterable<string>, proof: Proof): Promise<Report> {
  const verdict = await checkLines(lines);
  const { finding, head } = verdict;
  if (finding !== undefined || head === undefined) {
    const first = (head?.after.number ?? 0) + 1;
    const before = finding?.number !== undefined && finding.number > first;
    return {
      state: "broken",
      says: `${finding?.says}${before ? " The events before it are as they were exported." : ""}`,
    };
  }
  const { events, last } = verdict;
  const what = `${events === 1 ? "One event is" : `${events} events are`} intact, up to event ${last?.number} (hash ${last?.hash}).`;
  const { publicKeys } = proof;
  if (publicKeys.length > 0 && !publicKeys.includes(head.publicKey)) {
    return {
      state: "broken",
      says: `The file was signed with another key: ${head.publicKey}. Nothing in it can be trusted.`,
    };
  }
  if (publicKeys.length > 0) return { state: "intact", says: `${what} It was signed with the key you named.` };
  const whose = whoseKey(verdict, proof);
  if (whose === "ours") return { state: "intact", says: `${what} This Gantry signed it.` };
  if (whose === "forged") {
    return {
      state: "broken",
      says: "The file wasn't signed by the Gantry whose keys are set here. Nothing in it can be trusted.",
    };
  }
  return {
    state: "unproven",
    says: `${what} But nothing proves who signed it: name the key with --public-key ${head.publicKey} if you know it, or set GANTRY_KEYS.`,
  };
}

function whoseKey({ head, attestation = "" }: Verdict, { sealer }: Proof): "ours" | "forged" | "unknown" {
  if (sealer === undefined || head === undefined) return "unknown";
  try {
    return sealer.open(attestation, attested(head.chain)) === head.publicKey ? "ours" : "forged";
  } catch (error) {
    // Sealed with a key that this machine doesn't have: an older one, or that of another Gantry.
    return error instanceof Error && "reason" in error && error.reason === "unknown-key" ? "unknown" : "forged";
  }
}

/** More is no line of an export. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** The lines of a file. Only `\n` ends one: texts may hold the other line breaks of Unicode. Throws an Error that names it. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = "";
  try {
    for await (const chunk of createReadStream(path, "utf8")) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > LONGEST_LINE) throw new Error("its lines are too long for an export");
      yield* lines;
    }
  } catch (cause) {
    throw new DataError(`Couldn't read ${path}: ${readTrouble(cause)}. Name a file that \`audit export\` wrote.`, {
      cause,
    });
  }
  if (rest !== "") yield rest;
}
