import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactLines } from "../../../src/bot/logs/redact.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("values that are known to be secret", () => {
  test.each([
    ["as they are", "hello swordfish7!", ["swordfish7"], "hello [redacted]!"],
    ["in JSON", String.raw`{"a":"x\"y\\zzz"}`, [String.raw`x"y\zzz`], `{"a":"[redacted]"}`],
    ["in an address", "GET /?q=bob%3Asword%20fish", ["bob:sword fish"], "GET /?q=[redacted]"],
    ["the password of an address", "login sw0rd-fish", ["postgres://bob:sw0rd-fish@db/x"], "login [redacted]"],
    ["the longer one first", "a swordfish-and-more", ["swordfish", "swordfish-and-more"], "a [redacted]"],
    ["each line of several", "got bbbbbbbbbbbbbb", ["aaaaaaaaaaaaaa\nbbbbbbbbbbbbbb"], "got [redacted]"],
    ["all lines of several", "a\nkey=1\nz: 2\nb", ["key=1\nz: 2"], "a\n[redacted]\n[redacted]\nb"],
    ["but no word that tells of others", "password: hunter2", ["password"], "[redacted]: [redacted]"],
    ["nor a value that ends in one", "my password: hunter2", ["my password"], "[redacted]: [redacted]"],
    ["one beside a name, whole", "got token=abc def,ghi", ["token=abc def,ghi"], "got [redacted]"],
    ["two that overlap", "abcdefghijkl", ["abcdefgh", "fghijkl"], "[redacted]"],
    ["in an address in lower case", "GET /?q=bob%3asword%20fish", ["bob:sword fish"], "GET /?q=[redacted]"],
    ["in a form", "POST q=bob%3Asword+fish", ["bob:sword fish"], "POST q=[redacted]"],
    ["in an address in an address", "GET /?to=%2F%3Fq%3Da%253Ab%252fcde", ["a:b/cde"], "GET /?to=%2F%3Fq%3D[redacted]"],
    [
      "in JSON in JSON",
      String.raw`{"m":"{\"a\":\"x\\\"yz\\\"zz\"}"}`,
      ['x"yz"zz'],
      String.raw`{"m":"{\"a\":\"[redacted]\"}"}`,
    ],
    ["in JSON, with code points", String.raw`{"a":"pass\u003cw\u00f6rd"}`, ["pass<wörd"], `{"a":"[redacted]"}`],
    ["in a shell", String.raw`run 'it'\''s me!' now`, ["it's me!"], "run '[redacted]' now"],
    ["in a shell, with backslashes", String.raw`run sword\ fish\$7 now`, ["sword fish$7"], "run [redacted] now"],
    ["in XML", "<a>sword&amp;fish&#x37;</a>", ["sword&fish7"], "<a>[redacted]</a>"],
    ["in base64", `got ${base64("swordfish7!")}`, ["swordfish7!"], "got [redacted]E="],
    ["in base64 after other text", `got ${base64("bob:swordfish7")}`, ["swordfish7"], "got Ym9iOn[redacted]c="],
    [
      "in base64 for addresses",
      `got ${Buffer.from("?>?>?>?>").toString("base64url")}`,
      ["?>?>?>?>"],
      "got [redacted]4",
    ],
    [
      "in the encoded base64 of an address",
      `/?t=${encodeURIComponent(base64("??>>swordfi??>>"))}`,
      ["??>>swordfi??>>"],
      "/?t=[redacted]",
    ],
  ])("%s", (...[, line, secrets, expected]) => {
    expect(redactLines([line], secrets)).toEqual([expected]);
  });

  test.each(["true", "on", "info", "production", "99999", "8080", "localhost", "512Mi", "en_US.UTF-8", "short"])(
    "%s is too ordinary to be taken out",
    (value) => {
      const line = `it says ${value} here`;

      expect(redactLines([line], [value])).toEqual([line]);
    },
  );
});

test("however many values there are, the shortest is found", () => {
  const secrets = [...Array.from({ length: 1_000 }, (_, at) => `a much longer value, number ${at}`), "swordf"];

  expect(redactLines(["it is swordf.", "a much longer value, number 999"], secrets)).toEqual([
    "it is [redacted].",
    "[redacted]",
  ]);
});

test("what is left of a value at the end of a cut line is redacted", () => {
  const value = "correct horse battery staple ".repeat(100);
  const line = `${"word ".repeat(500)}${value.slice(0, 900)}`;

  expect(redactLines([line], [value])).toEqual([`${"word ".repeat(500)}[redacted]`]);
});

/** Ways in which programs write a value that they print. */
const ways: readonly ((value: string, before: string) => string)[] = [
  (value) => value,
  (value) => JSON.stringify(value),
  (value) => JSON.stringify({ message: JSON.stringify({ value }) }),
  (value) =>
    JSON.stringify(value)
      .replaceAll("/", String.raw`\/`)
      .replaceAll("<", String.raw`\u003C`),
  (value) => encodeURIComponent(value),
  (value) => encodeURIComponent(value).replaceAll(/%../gu, (escape) => escape.toLowerCase()),
  (value) => encodeURIComponent(encodeURIComponent(value)),
  (value) => `?${new URLSearchParams({ value }).toString()}`,
  (value) => Buffer.from(value).toString("hex").replaceAll(/../gu, "%$&"),
  (value) => `'${value.replaceAll("'", String.raw`'\''`)}'`,
  (value) => value.replaceAll(/[^A-Za-z0-9]/gu, String.raw`\$&`),
  (value) => value.replaceAll(/[&<>"']/gu, (sign) => `&#${sign.charCodeAt(0)};`),
  (value, before) => Buffer.from(before + value).toString("base64"),
  (value, before) => Buffer.from(before + value).toString("base64url"),
  (value, before) => encodeURIComponent(Buffer.from(before + value).toString("base64")),
];

/** How many characters of a line the values and `[redacted]` leave. What base64 shares with its neighbours may stay. */
const LEFT_OF_BASE64 = 4;

test("a known value is redacted however it is written, wherever it stands and whatever else is known", () => {
  const sign = fc.constantFrom(...Array.from("abcXYZ019 '\"\\/&<>%+=?:;$#!@~^*(){}[]|,.-_éß漢😀"));
  const value = fc
    .array(sign, { minLength: 8, maxLength: 40 })
    .map((signs) => `Q${signs.join("").trim()}Q`)
    .filter((text) => text.length >= 8);
  const others = fc.array(fc.string({ minLength: 6, maxLength: 60 }), { maxLength: 300 });
  fc.assert(
    fc.property(value, others, fc.constantFrom(...ways.keys()), fc.constantFrom("", "b", "bo", "bob"), (...drawn) => {
      const [secret, more, way, before] = drawn;
      const written = ways[way]?.(secret, before) ?? "";
      const line = `<< ${written} >>`;

      const shown = redactLines([line], [...more, secret])[0] ?? "";

      const left = shown.replaceAll("[redacted]", "");
      expect(shown).toContain("[redacted]");
      // Quotes, keys and padding around the value stay, and with base64 what it shares with its neighbours.
      expect(left.length - (line.length - written.length)).toBeLessThanOrEqual(
        written.startsWith("{") ? 30 : 3 * LEFT_OF_BASE64,
      );
      for (let at = 0; at + 6 <= secret.length; at += 1)
        if (!" ".repeat(6).includes(secret.slice(at, at + 6))) expect(left).not.toContain(secret.slice(at, at + 6));
    }),
  );
});
