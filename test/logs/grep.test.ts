import { describe, expect, test } from "vitest";
import { UserError } from "../../src/errors.ts";
import { compileGrep } from "../../src/logs/grep.ts";

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
    "The expression is not one that can be searched for: missing closing ): \`(?i)(open\`. Put a backslash before characters with a meaning, such as \`\\[\` or \`\\(\`. Plain words work too: \`--grep timeout\`. Capitals and small letters count the same; begin with \`(?-i)\` to tell them apart.
    The expression is not one that can be searched for: missing argument to repetition operator: \`*\`. Put a backslash before characters with a meaning, such as \`\\[\` or \`\\(\`. Plain words work too: \`--grep timeout\`. Capitals and small letters count the same; begin with \`(?-i)\` to tell them apart.
    The expression is not one that can be searched for: invalid character class range: \`z-a\`. Put a backslash before characters with a meaning, such as \`\\[\` or \`\\(\`. Plain words work too: \`--grep timeout\`. Capitals and small letters count the same; begin with \`(?-i)\` to tell them apart.
    The expression is not one that can be searched for: invalid or unsupported Perl syntax: \`(?=\`. Put a backslash before characters with a meaning, such as \`\\[\` or \`\\(\`. Plain words work too: \`--grep timeout\`. Capitals and small letters count the same; begin with \`(?-i)\` to tell them apart.
    The expression is not one that can be searched for: invalid repeat count: \`{2000}\`. Put a backslash before characters with a meaning, such as \`\\[\` or \`\\(\`. Plain words work too: \`--grep timeout\`. Capitals and small letters count the same; begin with \`(?-i)\` to tell them apart.
    The expression after \`--grep\` is empty. Plain words work too: \`--grep timeout\`. Capitals and small letters count the same; begin with \`(?-i)\` to tell them apart.
    The expression is 201 characters long; at most 200 are searched for. Search for a shorter part of it."
  `);
});
