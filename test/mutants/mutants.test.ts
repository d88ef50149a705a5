import { join } from "node:path";
import { expect, test } from "vitest";
import { readCatchers } from "./catchers.ts";
import { mutants } from "./mutants.ts";
import { mutate, problemOf } from "./mutate.ts";

const root = join(import.meta.dirname, "../..");

test.each(mutants)("it can be tried that $bug", (mutant) => {
  expect(problemOf(root, mutant)).toBeUndefined();
  expect(mutant.becomes).not.toBe(mutant.text);
});

test("each mutant has a name of its own, and only a test of its own files is tried first", () => {
  const files = new Map(mutants.map(({ bug, tests }) => [bug, tests]));

  expect(files.size).toBe(mutants.length);
  for (const [bug, { file }] of readCatchers()) expect(files.get(bug) ?? `no mutant “${bug}”`).toContain(file);
});

const mutant = { bug: "nobody is refused", file: "a.ts", text: "if (no) refuse();", becomes: "" };

test("a mutant changes its one place, and nothing in it is a pattern", () => {
  expect(mutate("before(); if (no) refuse(); after();", mutant)).toBe("before();  after();");
  expect(mutate("if (no) refuse();", { ...mutant, becomes: "$&$1" })).toBe("$&$1");
});

test.each([
  ["is gone", "accept();", 0],
  ["is there twice", "if (no) refuse(); if (no) refuse();", 2],
])("a mutant whose text %s is a failure, and says where to mend it", (_, source, times) => {
  expect(() => mutate(source, mutant)).toThrow(
    `The text of the mutant “nobody is refused” occurs ${times} times in a.ts, and has to occur once. Bring test/mutants/mutants.ts up to date.`,
  );
});

test("a mutant that names a file that is gone, or no test, is a failure", () => {
  const real = { ...mutant, file: "src/bot/errors.ts", text: "export", tests: ["test/gone.test.ts"] };

  expect(problemOf(root, { ...real, file: "src/gone.ts" })).toContain("src/gone.ts, and there is no such file");
  expect(problemOf(root, real)).toContain("test/gone.test.ts, and there is no such file");
  expect(problemOf(root, { ...real, tests: [] })).toContain("names no test");
});
