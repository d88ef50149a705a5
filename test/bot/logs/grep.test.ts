import { describe, expect, test } from "vitest";
import { UserError } from "../../../src/bot/errors.ts";
import { compileGrep } from "../../../src/bot/logs/grep.ts";

describe("an expression", () => {
  test.each([
    ["timeout", "request timeout after 5 s", true],
    ["timeout", "Timeout", true],
    ["(?-i)timeout", "Timeout", false],
    ["5\\d\\d", "GET / 503", true],
    ["^GET", " GET", false],
    ["tür", "die Tür, die tür", true],
  ])("%s on %s: %s", (source, line, expected) => {
    expect(compileGrep(source).test(line)).toBe(expected);
  });

  // A backtracking engine would not come back from this before the test runner gives up.
  test("comes to an end on a line made to keep it busy", () => {
    expect(compileGrep("(x+x+)+y").test("x".repeat(2000))).toBe(false);
  });
});

function refusal(source: string): string {
  try {
    compileGrep(source);
  } catch (error) {
    if (error instanceof UserError) return `${error.message} ${error.next ?? ""}`;
  }
  return "no refusal";
}

test("what cannot be searched for is refused in words", () => {
  const sources = ["(open", "*", "[z-a]", "(?=ahead)", "a{2000}", "", "x".repeat(201)];

  expect(sources.map(refusal).join("\n")).toMatchInlineSnapshot(`
    "I can't search for this regular expression: missing closing ): \`(?i)(open\`. Put a backslash before special characters, such as \`\\[\` or \`\\(\`. Plain text works too: \`--grep timeout\`. Start with \`(?-i)\` to match upper and lower case exactly.
    I can't search for this regular expression: missing argument to repetition operator: \`*\`. Put a backslash before special characters, such as \`\\[\` or \`\\(\`. Plain text works too: \`--grep timeout\`. Start with \`(?-i)\` to match upper and lower case exactly.
    I can't search for this regular expression: invalid character class range: \`z-a\`. Put a backslash before special characters, such as \`\\[\` or \`\\(\`. Plain text works too: \`--grep timeout\`. Start with \`(?-i)\` to match upper and lower case exactly.
    I can't search for this regular expression: invalid or unsupported Perl syntax: \`(?=\`. Put a backslash before special characters, such as \`\\[\` or \`\\(\`. Plain text works too: \`--grep timeout\`. Start with \`(?-i)\` to match upper and lower case exactly.
    I can't search for this regular expression: invalid repeat count: \`{2000}\`. Put a backslash before special characters, such as \`\\[\` or \`\\(\`. Plain text works too: \`--grep timeout\`. Start with \`(?-i)\` to match upper and lower case exactly.
    \`--grep\` needs a text to search for. Plain text works too: \`--grep timeout\`. Start with \`(?-i)\` to match upper and lower case exactly.
    The filter has 201 characters. The limit is 200. Use a shorter filter."
  `);
});
