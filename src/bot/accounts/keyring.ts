import { createSecretKey, randomBytes, type KeyObject } from "node:crypto";

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
