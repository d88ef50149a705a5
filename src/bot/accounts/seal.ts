import {
  createSecretKey,
  randomBytes,
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHmac,
} from "node:crypto";

/** A named key. A KeyObject doesn't reveal its bytes when printed or serialized. */
export type SealKey = { readonly id: string; readonly secret: KeyObject };

/** The first key seals, every key opens. To rotate, put a new key first and keep the old one until nothing needs it. */
export type Keyring = readonly [SealKey, ...SealKey[]];

const KEY_BYTES = 32;
/** No dots: in a sealed text a dot ends the id. */
const ID = /^[A-Za-z0-9_-]{1,32}$/u;
const HOW = `Write each key as id:base64, separated by commas. Make the ${KEY_BYTES} bytes with \`openssl rand -base64 ${KEY_BYTES}\``;

/**
 * Reads `id:base64[,id2:base64]`, ignoring white space around it. Throws an `Error` that names the wrong key and the
 * format, and never contains a part of a key.
 */
export function readKeyring(text: string): Keyring {
  const [first, ...rest] = text.split(",").map((part, index) => readKey(part.trim(), index + 1));
  if (first === undefined) throw new Error(`No key is set. ${HOW}.`);
  const ids = [first, ...rest].map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    throw new Error(`Two keys have the id “${twice}”. Give each key its own id.`);
  }
  return [first, ...rest];
}

function readKey(part: string, number: number): SealKey {
  const colon = part.indexOf(":");
  // Without a colon, the text may be the key itself: it must not be shown as an id.
  const id = part.slice(0, Math.max(0, colon));
  if (!ID.test(id)) {
    const rule = "an id: up to 32 letters, digits, - or _, then a colon";
    throw new Error(`Key ${number} lacks ${rule}. ${HOW}.`);
  }
  const bytes = Buffer.from(part.slice(colon + 1), "base64");
  // Node ignores invalid base64, so encoding it again is the only check.
  if (bytes.byteLength !== KEY_BYTES || bytes.toString("base64") !== part.slice(colon + 1)) {
    throw new Error(`Key ${number}, “${id}”, isn't ${KEY_BYTES} bytes in base64. ${HOW}.`);
  }
  if (new Set(bytes).size === 1) {
    throw new Error(`Key ${number}, “${id}”, repeats one byte, so it is easy to guess. ${HOW}.`);
  }
  return { id, secret: createSecretKey(bytes) };
}

/** A new keyring with one key, in the format of `readKeyring`, for a file that only its owner can read. */
export function newKey(): string {
  // A random id, so that a later key has a different one.
  return `k${randomBytes(4).toString("hex")}:${randomBytes(KEY_BYTES).toString("base64")}`;
}

/** Seals texts. A text opens only with the `bind` list it was sealed with. */
export type Sealer = {
  /** Ids of the configured keys; the first seals. */
  readonly keyIds: readonly string[];
  readonly seal: (text: string, bind: readonly string[]) => string;
  /** Throws a `SealError`. */
  readonly open: (sealed: string, bind: readonly string[]) => string;
  /**
   * Whether the first key sealed it. If not, the caller stores `seal(text, bind)` instead. The old key can be removed
   * when no row needs it.
   */
  readonly isCurrent: (sealed: string) => boolean;
  /** Keyed digest: equal texts have equal values, and without the key the text can't be guessed. */
  readonly fingerprint: (text: string) => string;
};

const VERSION = "g1";
// https://doi.org/10.6028/NIST.SP.800-38D §8.2.2: 96 random bits are enough for 2^32 texts per key.
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MARK_BYTES = 4;

/** AES-256-GCM; a sealed text is `g1.<key id>.<base64url of mark, nonce, ciphertext, tag>`. */
export function createSealer(keyring: Keyring): Sealer {
  const [current] = keyring;
  return {
    keyIds: keyring.map(({ id }) => id),
    seal: (text, bind) => sealed(current, text, bind),
    open(text, bind) {
      const { keyId, bytes } = partsOf(text);
      const key = keyring.find(({ id }) => id === keyId);
      if (key === undefined) throw new SealError("unknown-key", keyId);
      return opened(key, bytes, bind);
    },
    isCurrent: (text) => text.startsWith(`${VERSION}.${current.id}.`),
    fingerprint: (text) =>
      createHmac("sha256", current.secret).update("gantry fingerprint\0").update(text).digest("hex"),
  };
}

function sealed(key: SealKey, text: string, bind: readonly string[]): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key.secret, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundBytes(key, bind));
  // JSON preserves lone surrogates; UTF-8 alone would replace them.
  const hidden = Buffer.concat([cipher.update(JSON.stringify(text), "utf8"), cipher.final()]);
  const bytes = Buffer.concat([markOf(key), nonce, hidden, cipher.getAuthTag()]);
  return `${VERSION}.${key.id}.${bytes.toString("base64url")}`;
}

function opened(key: SealKey, bytes: Buffer, bind: readonly string[]): string {
  if (!bytes.subarray(0, MARK_BYTES).equals(markOf(key))) throw new SealError("wrong-key", key.id);
  const rest = bytes.subarray(MARK_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key.secret, rest.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(boundBytes(key, bind));
  decipher.setAuthTag(rest.subarray(-TAG_BYTES));
  const hidden = decipher.update(rest.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return JSON.parse(Buffer.concat([hidden, decipher.final()]).toString("utf8")) as string; // `sealed` hides nothing but a string
  } catch {
    throw new SealError("damaged", key.id);
  }
}

function partsOf(text: string): { readonly keyId: string; readonly bytes: Buffer } {
  const [, keyId, encoded = ""] = /^g1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/u.exec(text) ?? [];
  const bytes = Buffer.from(encoded, "base64url");
  const isWhole = bytes.byteLength >= MARK_BYTES + NONCE_BYTES + TAG_BYTES && bytes.toString("base64url") === encoded;
  if (keyId === undefined || !isWhole) throw new SealError("damaged", undefined);
  return { keyId, bytes };
}

/** JSON separates the items unambiguously. */
function boundBytes(key: SealKey, bind: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([VERSION, key.id, ...bind]));
}

/**
 * Distinguishes keys with the same id, so that a wrong key isn't reported as a damaged row. Four bytes of a keyed hash
 * of a constant reveal nothing.
 */
function markOf(key: SealKey): Buffer {
  const known = marks.get(key);
  if (known !== undefined) return known;
  const mark = createHmac("sha256", key.secret).update("gantry key mark").digest().subarray(0, MARK_BYTES);
  marks.set(key, mark);
  return mark;
}

const marks = new WeakMap<SealKey, Buffer>();

/**
 * - `unknown-key`: the key that sealed it isn't configured
 * - `wrong-key`: a different key is configured under its id
 * - `damaged`: changed, cut off, or moved here from another row
 */
export type SealReason = "wrong-key" | "unknown-key" | "damaged";

/** A sealed text can't be opened. The message is for the operator and never contains the text or a key. */
export class SealError extends Error {
  override readonly name = "SealError";
  readonly reason: SealReason;

  constructor(reason: SealReason, keyId: string | undefined) {
    super(sentences[reason](keyId ?? ""));
    this.reason = reason;
  }
}

const sentences: Readonly<Record<SealReason, (keyId: string) => string>> = {
  "unknown-key": (keyId) =>
    `It was sealed with the key “${keyId}”, which is no longer configured. Add that key after the first one.`,
  "wrong-key": (keyId) =>
    `It was sealed with a different key than the configured “${keyId}”. Put the original key under that id, and give the new one its own id.`,
  damaged: () => "It is damaged or belongs to another row. Restore the row from a backup.",
};
