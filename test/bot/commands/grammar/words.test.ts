import fc from "fast-check";
import { expect, test } from "vitest";
import { splitMessage, splitWords } from "../../../../src/bot/commands/grammar/words.ts";

test.each<[string, string, string[]]>([
  ["plain words", "scale web 4", ["scale", "web", "4"]],
  ["spaces of all kinds", "  list\u00a0services \t web\n", ["list", "services", "web"]],
  ["double quotes", 'logs web --grep "out of memory"', ["logs", "web", "--grep", "out of memory"]],
  ["curly quotes from a phone", "logs web —grep “out of memory”", ["logs", "web", "--grep", "out of memory"]],
  ["curly single quotes", "logs web --grep ‘a b’", ["logs", "web", "--grep", "a b"]],
  ["a long dash before a flag", "list –status Running", ["list", "--status", "Running"]],
  [
    "a long dash alone",
    "create job a --image i — 5 —exit 0",
    ["create", "job", "a", "--image", "i", "--", "5", "--exit", "0"],
  ],
  ["a minus sign before a number", "scale web −4", ["scale", "web", "-4"]],
  ["a long dash inside a word or quotes stays", 'logs a–b --grep "x — y"', ["logs", "a–b", "--grep", "x — y"]],
  ["a quote after an equals sign", 'create --env GREETING="hello world"', ["create", "--env", "GREETING=hello world"]],
  ["an apostrophe inside a word", "logs web --grep can't", ["logs", "web", "--grep", "can't"]],
  [
    "backslashes of a regular expression",
    String.raw`logs web --grep \d+\s`,
    ["logs", "web", "--grep", String.raw`\d+\s`],
  ],
  ["an escaped quote", String.raw`logs web --grep "say \"hi\""`, ["logs", "web", "--grep", 'say "hi"']],
  ["an empty word", 'list ""', ["list", ""]],
  [
    "a host name that Slack made a link",
    "domains web add <http://shop.example.com|shop.example.com>",
    ["domains", "web", "add", "shop.example.com"],
  ],
  [
    "a link without a label",
    "domains web add <https://shop.example.com>",
    ["domains", "web", "add", "https://shop.example.com"],
  ],
  ["an address that Slack made a link", "list <mailto:a@example.com|a@example.com>", ["list", "a@example.com"]],
  ["people and channels stay whole", "history <@U1|bob> <#C1|ops>", ["history", "<@U1|bob>", "<#C1|ops>"]],
  ["escaped characters", "logs web --grep &lt;a&gt;&amp;b", ["logs", "web", "--grep", "<a>&b"]],
  ["an escaped entity is undone once", "list &amp;lt;", ["list", "&lt;"]],
])("%s", (_what, text, words) => {
  expect(splitWords(text)).toEqual(words);
});

test.each<[string, string[], string[]]>([
  ["mute *web*", ["mute", "*web*"], ["mute", "web"]],
  ["mute _web_ `api`", ["mute", "_web_", "api"], ["mute", "web", "api"]],
  ['mute "*web*"', ["mute", "*web*"], ["mute", "*web*"]],
  ["mute *-web-*", ["mute", "*-web-*"], ["mute", "-web-"]],
  ["use --names *web*", ["use", "--names", "*web*"], ["use", "--names", "*web*"]],
  ["create job a -- *x*", ["create", "job", "a", "--", "*x*"], ["create", "job", "a", "--", "*x*"]],
  ["*restart web*", ["restart", "web"], ["restart", "web"]],
])("%s: Slack formats messages, and no slash command", (text, command, message) => {
  expect(splitWords(text)).toEqual(command);
  expect(splitMessage(text)).toEqual(message);
});

test("a quote that is never closed is said, and nothing is guessed", () => {
  expect(() => splitWords('logs web --grep "out of')).toThrowErrorMatchingInlineSnapshot(
    `[UserError: A quote isn't closed.]`,
  );
});

test("words without anything special come out as they went in", () => {
  const word = fc.stringMatching(/^[a-z0-9][a-z0-9./:_-]{0,20}$/u);
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(splitWords(words.join(" "))).toEqual(words);
    }),
  );
});
