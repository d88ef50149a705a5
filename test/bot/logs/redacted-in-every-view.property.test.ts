import fc from "fast-check";
import { expect, test } from "vitest";
import { dayExcerpt } from "../../../src/bot/commands/verbs/logs/pages.ts";
import { makeExcerpt, excerptOf } from "../../../src/bot/logs/excerpt.ts";
import { compileGrep } from "../../../src/bot/logs/grep.ts";

// Whatever way a log is shown: what the plain page hides is hidden there too.

const SECRET = "zQ7vK2mX9pL4rT8w";
const known = "correct-horse-battery";

/** Ways in which programs log the secret. */
const secretLines = fc.constantFrom(
  `password=${SECRET}`,
  `{"level":"info","msg":"login","password":"${SECRET}"}`,
  `{"msg":"env","name":"DB_PASSWORD","value":"${SECRET}"}`,
  `{"msg":"pass\\u0077ord=${SECRET}"}`,
  `{"\\u0070assword":"${SECRET}","msg":"x"}`,
  `{"level":"info","msg":"url postgres://user:${SECRET}@db/app"}`,
  `{"msg":"nested","auth":{"token":"${SECRET}"}}`,
  `{"msg":"nested \\"token\\": \\"${SECRET}\\""}`,
  `{"time":"2026-11-20T14:03:05Z","msg":"Authorization: Bearer ${SECRET}${SECRET}"}`,
  `{"msg":"\\u001b[31mpass\\u001b[0mword=${SECRET}"}`,
  `{"msg":"known ${known}"}`,
  `{"msg":"known \\u0063orrect-horse-battery"}`,
  `2026-11-20T14:03:05Z secret: ${SECRET}`,
  `api_key: ${SECRET}`,
);
const harmlessLines = fc.constantFrom(
  "ping",
  "GET / 200",
  '{"msg":"ok","level":"info"}',
  "  at main.ts:3",
  "",
  "}",
  "{",
);
const key = [
  "-----BEGIN PRIVATE KEY-----",
  ...Array.from({ length: 3 }, () => "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7".padEnd(64, "Q")),
  "-----END PRIVATE KEY-----",
];
const block = fc.oneof(
  secretLines.map((line) => [line]),
  harmlessLines.map((line) => [line]),
  secretLines.map((line) => [line, line, line]),
  fc.constant(key),
  fc.constantFrom(["password:", SECRET], ["DB_PASSWORD:", `  ${SECRET}`]),
);
const log = fc
  .array(fc.tuple(fc.constantFrom("web-0", "web-1"), block), { maxLength: 12 })
  .map((blocks) => blocks.flatMap(([instance, lines]) => lines.map((text) => ({ instance, text }))));

const secrets = [known];
const KEY_LINE = key[1] ?? "";

test("what is hidden on the plain page is hidden when it is readable, folded, around a match, and in a file", async () => {
  await fc.assert(
    fc.asyncProperty(
      log,
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(".", "msg", "ping|GET", "known"),
      async (lines, context, expression) => {
        const plain = makeExcerpt({ lines, from: 0, size: 100, secrets });
        const text = plain.lines.map((line) => line.text).join("\n");
        const readable = makeExcerpt({ lines, from: 0, size: 100, secrets, isReadable: true });
        const near = makeExcerpt({
          lines,
          from: 0,
          size: 100,
          secrets,
          isReadable: true,
          context,
          grep: compileGrep(expression),
        });
        const halves = [lines.slice(0, lines.length / 2), lines.slice(lines.length / 2)];
        const day = await dayExcerpt(halves, { from: 0, size: 100, secrets }, async (request) => excerptOf(request));
        for (const view of [readable, near, day]) {
          const all = [...view.lines, ...(view.written ?? [])].map((line) => line.text).join("\n");
          for (const hidden of [SECRET, known, KEY_LINE]) {
            const isShown = all.includes(hidden);
            expect(isShown && !text.includes(hidden)).toBe(false);
          }
        }
        // Nothing that the escapes of JSON hide from the plain page comes to light by reading them.
        for (const view of [readable, near]) {
          const all = view.lines.map((line) => line.text).join("\n");
          expect(all).not.toMatch(new RegExp(`password=${SECRET}|${known}`, "u"));
        }
        expect(day.lines.map((line) => line.text)).toEqual(plain.lines.map((line) => line.text));
      },
    ),
  );
});

test.each([
  ["the value is on the line after its name", ["DB_PASSWORD:", `  ${SECRET}`]],
  ["a private key goes on", key.slice(0, 3)],
])("where two pages of a file meet, %s, and it is hidden", async (_, texts) => {
  const pages = [texts.slice(0, -1), texts.slice(-1)].map((page) => page.map((text) => ({ text })));

  const day = await dayExcerpt(pages, { from: 0, size: 100 }, async (request) => excerptOf(request));
  expect(day.lines.at(-1)?.text.trim()).toBe("[redacted]");
});
