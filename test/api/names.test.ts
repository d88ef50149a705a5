import { expect, test } from "vitest";
import { checkName, pathSafe } from "../../src/api/request-limits.ts";

test.each(["a", "web", "nightly-report-2", "a".repeat(50), "x-1"])("%s is a name", (name) => {
  expect(checkName("service", name)).toBeUndefined();
});

test("what is no name is told why", () => {
  const wrong = ["", "a".repeat(51), "1a", "-a", " a", "Web", "a_b", "a b", "a.b", "wéb", "a\u0000", "a😀", "x-"];

  const said = wrong.map((name) => checkName("job", name)?.replace(/^.*digit; /u, ""));

  expect(said).toMatchInlineSnapshot(`
    [
      "Enter a name for the job. Names use lowercase letters, digits and dashes, and start with a letter.",
      "Names have at most 50 characters. This one has 51.",
      "Names use lowercase letters, digits and dashes, and start with a letter.",
      "Names use lowercase letters, digits and dashes, and start with a letter.",
      "Names use lowercase letters, digits and dashes, and start with a letter.",
      "Names use lowercase letters, digits and dashes, and start with a letter. Did you mean “web”?",
      "Names use lowercase letters, digits and dashes, and start with a letter. Did you mean “a-b”?",
      "Names use lowercase letters, digits and dashes, and start with a letter. Did you mean “a-b”?",
      "Names use lowercase letters, digits and dashes, and start with a letter. Did you mean “a-b”?",
      "Names use lowercase letters, digits and dashes, and start with a letter. Did you mean “web”?",
      "Names use lowercase letters, digits and dashes, and start with a letter.",
      "Names use lowercase letters, digits and dashes, and start with a letter.",
      "Names use lowercase letters, digits and dashes, and start with a letter. They can't end with a dash.",
    ]
  `);
  expect(checkName("service", "")).toMatchInlineSnapshot(
    `"Enter a name for the service. Names use lowercase letters, digits and dashes, and start with a letter."`,
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
