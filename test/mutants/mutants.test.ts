import { join } from "node:path";
import { expect, test } from "vitest";
import { mutants, mutantsIn } from "./mutants.ts";
import { mutate, problemOf } from "./mutate.ts";

const root = join(import.meta.dirname, "../..");

test.each(mutants)("it can be tried that $bug", (mutant) => {
  expect(problemOf(root, mutant)).toBeUndefined();
  expect(mutant.becomes).not.toBe(mutant.text);
});

test("each mutant has a name of its own", () => {
  expect(mutants.length).toBeGreaterThan(500);
  expect(new Set(mutants.map(({ bug }) => bug)).size).toBe(mutants.length);
});

test("a list has several mutants of a source, each with the text that it changes or deletes", () => {
  const list =
    "a.ts\n* one\n- if (no)\n-   refuse();\n+ go();\n= a.test.ts: it: no\n* two\n- ends();\n= a.test.ts\n= b.test.ts\n";

  expect(mutantsIn(`${list}\nb.ts\n* three\n- x\n= b.test.ts\n`)).toEqual([
    {
      bug: "one",
      file: "a.ts",
      text: "if (no)\n  refuse();",
      becomes: "go();",
      tests: [{ file: "a.test.ts", title: "it: no" }],
    },
    {
      bug: "two",
      file: "a.ts",
      text: "ends();",
      becomes: "",
      tests: [{ file: "a.test.ts" }, { file: "b.test.ts" }],
    },
    { bug: "three", file: "b.ts", text: "x", becomes: "", tests: [{ file: "b.test.ts" }] },
  ]);
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
    `The text of the mutant “nobody is refused” occurs ${times} times in a.ts, and has to occur once. Bring its entry in test/mutants up to date.`,
  );
});

test("a mutant that names a file that is gone, or no test, is a failure", () => {
  const real = { ...mutant, file: "src/bot/errors.ts", text: "export", tests: [{ file: "test/gone.test.ts" }] };

  expect(problemOf(root, { ...real, file: "src/gone.ts" })).toContain("src/gone.ts, and there is no such file");
  expect(problemOf(root, real)).toContain("test/gone.test.ts, and there is no such file");
  expect(problemOf(root, { ...real, tests: [] })).toContain("names no test");
});
