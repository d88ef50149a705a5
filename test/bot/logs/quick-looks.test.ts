import fc from "fast-check";
import { expect, test } from "vitest";
import { redactKnownTokens } from "../../../src/bot/logs/known-tokens.ts";
import { redactRandomStrings } from "../../../src/bot/logs/random-strings.ts";
import { anyCharacter } from "../../support/any-character.ts";

// Most lines are only looked at quickly. What a line ends with here makes the passes run, and is left alone by them: the
// rest of the line has to come out the same without it.

const alnum = "a8Xk2Qw9ZrT4bN7vLm3JpH6sYd1GfC5e";
const upper = "A8XK2QW9ZRT4BN7VLM3JPH6SYD1GFC5E";
const beginnings = ["AKIA", "ASIA", "ghp_", "github_pat_", "glpat-", "xoxb-", "xoxe.xoxp-", "xapp-", "npm_", "pypi-"];
const more = ["sk_live_", "rk_test_", "whsec_", "AIza", "ya29.", "GOCSPX-", "sk-", "SG.", "hvs.", "hf_", "dop_v1_"];
const last = ["shpat_", "rubygems_", "lin_api_", "tfp_", "AGE-SECRET-KEY-1", "https://hooks.slack.com/services/"];
const others = [
  "eyJhbGciOi.eyJzdWIiOi.dBjftJeZ4C",
  "https://dana:",
  "pw@host",
  "Bearer ",
  "BASIC ",
  "ba\u017Fic ",
  "-u dana:",
];
const piece = fc.oneof(
  fc.constantFrom(...beginnings, ...more, ...last),
  fc.constantFrom(...others, "mysql ", " -p", "--user=", ".", "_", "-", "/", " ", "=", "\u212A", "é"),
  fc.constantFrom(alnum, upper, alnum.slice(0, 16), upper.slice(0, 15), "5f1c0f9e-5c55-4a43-9a63-0d9f3f1a0b11"),
  fc.stringMatching(/^[A-Za-z0-9+/_-]{28,36}$/u),
  fc.stringMatching(/^[0-9a-f]{30,34}$/u),
  fc.string({ maxLength: 6, unit: anyCharacter }),
);
const lines = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join("").replaceAll("\n", " "));

test.each([
  ["tokens", redactKnownTokens, " sk- hooks.slack eyJ :// -u -p"],
  ["long random strings", redactRandomStrings, ` ${"a".repeat(64)}`],
] as const)("a quick look overlooks no %s", (_, redact, end) => {
  expect(redact(end)).toBe(end);

  fc.assert(fc.property(lines, (line) => redact(line + end) === redact(line) + end));
});

test.each([...beginnings, ...more, ...last])("a token that begins with %s is found", (begins) => {
  const token = begins === "SG." ? `SG.${alnum}.${alnum}` : `${begins}${/^A[KSG]/u.test(begins) ? upper : alnum}`;
  const whole = /^A[KS]IA/u.test(begins) ? token.slice(0, 20) : token;

  expect(redactKnownTokens(`a task- ${whole} at risk`)).not.toContain(whole.slice(-8));
});
