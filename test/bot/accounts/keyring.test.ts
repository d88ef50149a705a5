import { inspect } from "node:util";
import { expect, test } from "vitest";
import { newKey, readKeyring } from "../../../src/bot/accounts/seal.ts";

const one = Buffer.alloc(32, "first key").toString("base64");
const two = Buffer.alloc(32, "second one").toString("base64");

function sentenceOf(text: string): string {
  try {
    readKeyring(text);
  } catch (error) {
    return String(error);
  }
  return "no error";
}

test("the first key of a keyring seals, and all of them are there to open", () => {
  const keyring = readKeyring(` k2:${two}, k1:${one}\n`);

  expect(keyring.map(({ id }) => id)).toEqual(["k2", "k1"]);
  expect(keyring[0].secret.export().toString("base64")).toBe(two);
});

test("a new key is a keyring by itself, and no two are alike", () => {
  const [first] = readKeyring(newKey());
  const [second] = readKeyring(`${newKey()}\n`);

  expect(first.secret.export()).toHaveLength(32);
  expect(second.secret.equals(first.secret)).toBe(false);
  expect(second.id).not.toBe(first.id);
});

test.each([
  ["nothing", ""],
  ["white space", " \n"],
  ["a key without an id", one],
  ["an empty id", `:${one}`],
  ["an id with a dot", `k.1:${one}`],
  ["a key that is too short", `k1:${one.slice(0, 40)}`],
  ["a key that is too long", `k1:${Buffer.alloc(33, "x y").toString("base64")}`],
  ["a key in hexadecimal", `k1:${Buffer.from(one, "base64").toString("hex")}`],
  ["a key with a letter that is no base64", `k1:${one.replace(/^./u, "*")}`],
  ["a key of zeros", `k1:${Buffer.alloc(32).toString("base64")}`],
  ["a comma too many", `k1:${one},`],
  ["one id twice", `k1:${one},k1:${two}`],
])("%s is refused with a sentence that says what to write, and never with the key", (_what, text) => {
  const sentence = sentenceOf(text);

  expect(sentence).toMatch(/^Error: .+\. .+\.$/u);
  expect(sentence).not.toContain(one.slice(0, 12));
  expect(sentence).not.toContain(text.slice(-12).trim() || "never");
});

test("the sentences of a broken keyring", () => {
  expect(sentenceOf(one)).toMatchInlineSnapshot(
    `"Error: Key 1 lacks an id: up to 32 letters, digits, - or _, then a colon. Write each key as id:base64, separated by commas. Make the 32 bytes with \`openssl rand -base64 32\`."`,
  );
  expect(sentenceOf(`k1:${one},k2:short`)).toMatchInlineSnapshot(
    `"Error: Key 2, “k2”, isn't 32 bytes in base64. Write each key as id:base64, separated by commas. Make the 32 bytes with \`openssl rand -base64 32\`."`,
  );
  expect(sentenceOf(`k1:${one},k1:${two}`)).toMatchInlineSnapshot(
    `"Error: Two keys have the id “k1”. Give each key its own id."`,
  );
});

test("a keyring that is printed does not show its keys", () => {
  const keyring = readKeyring(`k1:${one}`);

  expect(keyring[0].id).toBe("k1");
  expect(inspect(keyring, { depth: 9 }) + JSON.stringify(keyring)).not.toContain(one.slice(0, 8));
  expect(inspect(keyring, { depth: 9 })).not.toContain("first key");
});
