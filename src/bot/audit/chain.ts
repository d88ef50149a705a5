import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";

/**
 * Every row of history joins a chain: its digest covers all its fields, and its hash covers the hash before it. What
 * names a person or was typed by one goes in as a salted commitment, so it can be erased later and the chain still
 * holds. docs/audit.md describes the format; `VERSION` changes with it.
 */
const VERSION = "gantry-audit-1";

/** Fields that name or describe a person, or hold what they typed. */
export const personalFields = ["userId", "userName", "channelId", "account", "workloadName", "result"] as const;
export type PersonalField = (typeof personalFields)[number];

export type AuditFields = Readonly<Record<PersonalField, string | null>> & {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly teamId: string;
  readonly changeId: string | null;
  readonly verb: string | null;
  readonly workloadKind: string | null;
  readonly workloadRegion: string | null;
  readonly rule: string | null;
  readonly breakGlass: boolean;
  readonly elapsedMs: number | null;
  readonly reference: string | null;
};

/**
 * - `before`: written before this database had a chain
 * - `unmarked`: without the mark that Gantry writes
 * - `altered`: changed between being written and joining the chain
 */
export const chainNotes = ["before", "unmarked", "altered"] as const;
export type ChainNote = (typeof chainNotes)[number];

/** What was erased from an event: the commitments that replace the fields, the salts of all others, and who vouches for it. */
export type Erased = {
  readonly commitments: Partial<Readonly<Record<PersonalField, string>>>;
  readonly salts: Partial<Readonly<Record<PersonalField, string>>>;
  /** By the chain's key, over the commitments and what is shown instead. */
  readonly signature: string;
};

/** One event and what hides its personal fields: the salt, or after an erasure what is left of it. */
export type SaltedEvent = {
  readonly fields: AuditFields;
  readonly note: ChainNote | undefined;
  readonly salt: string | undefined;
  readonly erased: Erased | undefined;
};

/** Where a chain begins or stands: the number of an event, and its hash. */
export type ChainPoint = { readonly number: number; readonly hash: string };

export function beginningOf(chain: string): ChainPoint {
  return { number: 0, hash: hashOf([VERSION, "begin", chain]) };
}

/** Both sides hash the same text: a database stores no half of a surrogate pair. */
function hashOf(values: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(values, wellFormed), "base64url");
}

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

export function newSalt(): string {
  return randomBytes(16).toString("base64url");
}

function saltOf(salt: string, field: PersonalField): string {
  return hashOf([VERSION, "salt", field, salt]);
}

function commitmentOf(fieldSalt: string, value: string | null): string {
  return hashOf([VERSION, "commitment", fieldSalt, value]);
}

function fieldSaltOf({ salt, erased }: SaltedEvent, field: PersonalField): string | undefined {
  return erased === undefined ? salt && saltOf(salt, field) : erased.salts[field];
}

/** Undefined when nothing says what the field was: its salt is lost. */
function commitmentIn(event: SaltedEvent, field: PersonalField): string | undefined {
  const fieldSalt = fieldSaltOf(event, field);
  return event.erased?.commitments[field] ?? (fieldSalt && commitmentOf(fieldSalt, event.fields[field]));
}

/** What names nobody and nobody typed. The order is part of the format. */
function plainValues(fields: Omit<AuditFields, "seq" | "at">): readonly unknown[] {
  const { kind, teamId, changeId, verb, workloadKind, workloadRegion, rule, breakGlass, elapsedMs, reference } = fields;
  return [kind, teamId, changeId, verb, workloadKind, workloadRegion, rule, breakGlass, elapsedMs, reference];
}

/** The digest of an event without its place in the chain. */
export function digestOf(event: SaltedEvent): string {
  const { fields, note } = event;
  return hashOf([
    VERSION,
    "event",
    fields.seq,
    fields.at,
    ...plainValues(fields),
    note ?? null,
    ...personalFields.map((field) => commitmentIn(event, field) ?? null),
  ]);
}

/** The point after this one. */
export function nextPoint(chain: string, before: ChainPoint, digest: string): ChainPoint {
  const number = before.number + 1;
  return { number, hash: hashOf([VERSION, "link", chain, number, before.hash, digest]) };
}

/**
 * The keys of one chain, from its secret. Marks tell those who have the secret that Gantry wrote something; signatures
 * tell everybody who has the public key.
 */
export type ChainKeys = {
  readonly chain: string;
  readonly publicKey: () => string;
  readonly mark: (what: string, values: readonly unknown[]) => string;
  readonly hasMark: (mark: string | null, what: string, values: readonly unknown[]) => boolean;
  readonly sign: (values: readonly unknown[]) => string;
};

const SECRET_BYTES = 32;

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

// RFC 8410: an Ed25519 key in DER is a constant and 32 bytes.
const PRIVATE = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC = Buffer.from("302a300506032b6570032100", "hex");

export function chainKeys(chain: string, secret: string): ChainKeys {
  const bytes = Buffer.from(secret, "base64url");
  const derived = (use: string): Buffer =>
    Buffer.from(hkdfSync("sha256", bytes, chain, `${VERSION} ${use}`, SECRET_BYTES));
  const markKey = derived("mark");
  // Only exports and erasures sign: made when it is first needed.
  let made: KeyObject | undefined;
  const signKey = (): KeyObject =>
    (made ??= createPrivateKey({ key: Buffer.concat([PRIVATE, derived("sign")]), format: "der", type: "pkcs8" }));
  const mark: ChainKeys["mark"] = (what, values) =>
    createHmac("sha256", markKey)
      .update(JSON.stringify([VERSION, what, chain, ...values], wellFormed))
      .digest("base64url");
  return {
    chain,
    publicKey: () => rawOf(createPublicKey(signKey())).toString("base64url"),
    mark,
    hasMark(given, what, values) {
      const expected = Buffer.from(mark(what, values));
      const found = Buffer.from(given ?? "");
      return expected.byteLength === found.byteLength && timingSafeEqual(expected, found);
    },
    sign: (values) => sign(null, signedBytes(values), signKey()).toString("base64url"),
  };
}

function rawOf(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "spki" }).subarray(PUBLIC.byteLength);
}

function signedBytes(values: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify([VERSION, ...values], wellFormed));
}

/** Whether the owner of this public key signed these values. False for what is no key or no signature. */
export function isSigned(publicKey: string, values: readonly unknown[], signature: string): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.concat([PUBLIC, Buffer.from(publicKey, "base64url")]),
      format: "der",
      type: "spki",
    });
    return verify(null, signedBytes(values), key, Buffer.from(signature, "base64url"));
  } catch {
    return false;
  }
}

/** What the mark of a row covers that has no place in the chain yet. Its number and time are the database's. */
export function writtenValues(fields: Omit<AuditFields, "seq" | "at">, salt: string): readonly unknown[] {
  return [salt, ...plainValues(fields), ...personalFields.map((field) => fields[field])];
}

/** What an erasure signs: of which event, which fields, and what is shown instead. */
export function erasedValues(
  chain: string,
  { fields, erased }: { readonly fields: AuditFields; readonly erased: Pick<Erased, "commitments" | "salts"> },
): readonly unknown[] {
  const gone = personalFields.filter((field) => erased.commitments[field] !== undefined);
  return [
    "erased",
    chain,
    fields.seq,
    gone.map((field) => [field, erased.commitments[field], fields[field]]),
    personalFields.map((field) => erased.salts[field] ?? null),
  ];
}

/** Removes these fields from an event and keeps what the chain needs of them. `instead` is what is shown from now on. */
export function erase(
  keys: ChainKeys,
  event: SaltedEvent,
  instead: Partial<Readonly<Record<PersonalField, string | null>>>,
): { readonly fields: AuditFields; readonly erased: Erased } {
  const commitments: Partial<Record<PersonalField, string>> = {};
  const salts: Partial<Record<PersonalField, string>> = {};
  for (const field of personalFields) {
    const known = event.erased?.commitments[field];
    const fieldSalt = fieldSaltOf(event, field);
    if (known !== undefined) commitments[field] = known;
    else if (fieldSalt === undefined) continue;
    else if (field in instead) commitments[field] = commitmentOf(fieldSalt, event.fields[field]);
    else salts[field] = fieldSalt;
  }
  const fields = { ...event.fields, ...instead };
  const signature = keys.sign(erasedValues(keys.chain, { fields, erased: { commitments, salts } }));
  return { fields, erased: { commitments, salts, signature } };
}
