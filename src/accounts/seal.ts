import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Keyring, SealKey } from "./keyring.ts";

/** Seals texts for one place each. `bind` says which: what was sealed for another list does not open. */
export type Sealer = {
  readonly seal: (text: string, bind: readonly string[]) => string;
  /** Throws a `SealError`. */
  readonly open: (sealed: string, bind: readonly string[]) => string;
  /**
   * Whether the first key sealed it. If not, whoever opened it stores `seal(text, bind)` in its place; when no row is
   * left that the old key sealed, the old key can go.
   */
  readonly isCurrent: (sealed: string) => boolean;
  /** Keyed digest: the same text gives the same value, and without the key nobody can guess the text from it. */
  readonly fingerprint: (text: string) => string;
};

const VERSION = "g1";
// https://doi.org/10.6028/NIST.SP.800-38D §8.2.2: a random nonce of 96 bits is good for 2^32 texts under one key.
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MARK_BYTES = 4;

/** AES-256-GCM; a sealed text is `g1.<key id>.<base64url of mark, nonce, ciphertext, tag>`. */
export function createSealer(keyring: Keyring): Sealer {
  const [current] = keyring;
  return {
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
  // As JSON, so that half a surrogate pair comes back too: UTF-8 alone would replace it.
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

/** JSON keeps the items of the list apart, whatever stands in them. */
function boundBytes(key: SealKey, bind: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([VERSION, key.id, ...bind]));
}

/**
 * Tells keys apart that have the same id, so that a wrong key is not taken for a damaged row. It gives away nothing:
 * four bytes of a keyed hash of a constant.
 */
function markOf(key: SealKey): Buffer {
  return createHmac("sha256", key.secret).update("gantry key mark").digest().subarray(0, MARK_BYTES);
}

/**
 * - `unknown-key`: the key that sealed it is not among those that are configured
 * - `wrong-key`: a key of that name is, but it is another one
 * - `damaged`: changed, cut off, or moved here from another row
 */
export type SealReason = "wrong-key" | "unknown-key" | "damaged";

/** A sealed text does not open. The sentence is for whoever runs the bot; it never holds the text or a key. */
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
    `It was sealed with the key “${keyId}”, which is not configured any more. Put that key back behind the first one, or store anew what was sealed.`,
  "wrong-key": (keyId) =>
    `It was sealed with another key than the one that is configured as “${keyId}”. Put the right key under that id, and give the other one an id of its own.`,
  damaged: () =>
    "It was changed or cut off after it was sealed, or it was sealed for another row. Restore the row from a backup, or store anew what was sealed.",
};
