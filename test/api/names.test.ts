import { expect, test } from "vitest";
import { checkName, pathSafe } from "../../src/api/names.ts";

test.each(["a", "web", "nightly-report-2", "a".repeat(50), "x-1"])("%s is a name", (name) => {
  expect(checkName("service", name)).toBeUndefined();
});

test("what is no name is told why", () => {
  const wrong = ["", "a".repeat(51), "1a", "-a", " a", "Web", "a_b", "a b", "a.b", "wéb", "a\u0000", "a😀", "x-"];

  const said = wrong.map((name) => checkName("job", name)?.replace(/^.*digit; /u, ""));

  expect(said).toMatchInlineSnapshot(`
    [
      "none was given.",
      "this one has 51 characters.",
      "this one begins with "1".",
      "this one begins with "-".",
      "this one begins with a space.",
      "this one begins with "W".",
      "this one contains "_".",
      "this one contains a space.",
      "this one contains ".".",
      "this one contains "é".",
      "this one contains a character that cannot be seen.",
      "this one contains "😀".",
      "this one ends with "-".",
    ]
  `);
  expect(checkName("service", "")).toMatchInlineSnapshot(
    `"The name of a service has 1 to 50 lower-case letters, digits and "-", begins with a letter and ends with a letter or digit; none was given."`,
  );
});

test.each<[string, boolean]>([
  ["web", true],
  ["Wéb 100%", true],
  ["..a", true],
  ["", false],
  [".", false],
  ["..", false],
  ["a/b", false],
  ["a\\b", false],
  ["a\tb", false],
  ["\u007f", false],
  ["\udc00", false],
])("%j in a path: %s", (value, isSafe) => {
  expect(pathSafe(value)).toBe(isSafe);
});
