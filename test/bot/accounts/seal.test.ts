import * as fc from "fast-check";
import { expect, test } from "vitest";
import { newKey, readKeyring, createSealer, SealError } from "../../../src/bot/accounts/seal.ts";
import { anyCharacter } from "../../support/any-character.ts";

const keys = { old: newKey(), young: newKey() };
const sealer = createSealer(readKeyring(keys.old));
const bind = ["team", "user", "U1"];
const token = "s3cr3t-token-of-somebody";

/** Any text that JavaScript can hold, halves of surrogate pairs among it. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);

function refusal(open: () => string): SealError {
  try {
    open();
  } catch (error) {
    if (error instanceof SealError) return error;
    throw error;
  }
  throw new Error("it opened");
}

test("any text comes back as it was", () => {
  fc.assert(
    fc.property(anyText, fc.array(anyText), (text, list) => {
      expect(sealer.open(sealer.seal(text, list), list)).toBe(text);
    }),
  );
});

test("no six characters of a text stand in what is stored of it", () => {
  const ascii = fc.string({ minLength: 6, unit: "grapheme-ascii" });
  fc.assert(
    fc.property(ascii, (text) => {
      const sealed = sealer.seal(text, bind);
      const decoded = Buffer.from(sealed.split(".")[2] ?? "", "base64url").toString("latin1");

      for (let at = 0; at + 6 <= text.length; at += 1) {
        expect(sealed).not.toContain(text.slice(at, at + 6));
        expect(decoded).not.toContain(text.slice(at, at + 6));
      }
    }),
  );
});

test("the same text is sealed in another way each time", () => {
  const all = Array.from({ length: 200 }, () => sealer.seal(token, bind));

  expect(new Set(all).size).toBe(200);
});

test("a sealed text says its version and its key", () => {
  expect(sealer.seal(token, bind)).toMatch(/^g1\.k[0-9a-f]{8}\.[\w-]+$/u);
});

test("what was sealed for one list opens for no other, however alike the two look", () => {
  fc.assert(
    fc.property(fc.array(anyText), fc.array(anyText), (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));

      expect(refusal(() => sealer.open(sealer.seal(token, one), other)).reason).toBe("damaged");
    }),
  );
  const joined = sealer.seal(token, ["a,b", "c"]);

  for (const other of [["a", "b,c"], ["a", "b", "c"], ['a","b', "c"], ["a,b", "c", ""], []]) {
    expect(refusal(() => sealer.open(joined, other)).reason).toBe("damaged");
  }
});

test("after a rotation the old key opens and the new one seals", () => {
  const rotated = createSealer(readKeyring(`${keys.young},${keys.old}`));
  const before = sealer.seal(token, bind);
  const after = rotated.seal(token, bind);

  expect(rotated.open(before, bind)).toBe(token);
  expect(rotated.isCurrent(before)).toBe(false);
  expect(rotated.isCurrent(after)).toBe(true);
  expect(rotated.open(after, bind)).toBe(token);
});

test("a key that is gone is named", () => {
  const without = createSealer(readKeyring(keys.young));
  const { reason, message } = refusal(() => without.open(sealer.seal(token, bind), bind));

  expect(reason).toBe("unknown-key");
  expect(message).toContain(`“${keys.old.split(":")[0] ?? ""}”`);
  // Tokens, requests and the audit key are all sealed: advice for one would be wrong for the others.
  expect(message).toMatch(/Add that key after the first one\.$/u);
});

test("another key under the same name is told from a damaged row", () => {
  const id = keys.old.split(":")[0] ?? "";
  const impostor = createSealer(readKeyring(`${id}:${keys.young.split(":")[1] ?? ""}`));

  expect(refusal(() => impostor.open(sealer.seal(token, bind), bind)).reason).toBe("wrong-key");
});

test("a text that was cut off anywhere does not open", () => {
  const sealed = sealer.seal(token, bind);

  for (let length = 0; length < sealed.length; length += 1) {
    expect(["damaged", "unknown-key"]).toContain(refusal(() => sealer.open(sealed.slice(0, length), bind)).reason);
  }
  expect(refusal(() => sealer.open(sealed.slice(0, -1), bind)).message).toBe(
    "It is damaged or belongs to another row. Restore the row from a backup.",
  );
});

test("a text in which one bit changed does not open", () => {
  const [version = "", id = "", encoded = ""] = sealer.seal(token, bind).split(".");
  const bytes = Buffer.from(encoded, "base64url");

  for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    const { reason } = refusal(() => sealer.open(`${version}.${id}.${changed.toString("base64url")}`, bind));
    // The first four bytes say which key it was.
    expect(reason).toBe(bit < 32 ? "wrong-key" : "damaged");
  }
});

test("the key's name in a sealed text cannot be exchanged for another one of the ring", () => {
  const both = createSealer(readKeyring(`${keys.young},${keys.old}`));
  const [version = "", , encoded = ""] = sealer.seal(token, bind).split(".");
  const renamed = `${version}.${keys.young.split(":")[0] ?? ""}.${encoded}`;

  expect(refusal(() => both.open(renamed, bind)).reason).toBe("wrong-key");
});

test.each([
  ["nothing", ""],
  ["a token that was never sealed", token],
  ["another version", "g2.k1.AAAA"],
  ["no bytes", "g1.k1."],
  ["too few bytes", `g1.${keys.old.split(":")[0] ?? ""}.AAAA`],
  ["a fourth part", "g1.k1.AAAA.AAAA"],
])("%s does not open, and the error does not repeat it", (_what, text) => {
  const { reason, message } = refusal(() => sealer.open(text, bind));

  expect(reason).toBe("damaged");
  expect(message).not.toContain(text === "" ? token : text);
});
