import fc from "fast-check";
import { expect, test } from "vitest";
import { commands } from "../../src/commands/all.ts";
import { parseText } from "../../src/commands/parse.ts";
import { UserError } from "../../src/errors.ts";
import { bothWays, typed } from "./support/said-both-ways.ts";
import { seeded, timeout } from "./support/seeded.ts";

const settings = seeded("words and forms");
const pointed = commands.filter(({ form }) => form !== undefined);

test("every verb that has a form is tried", () => {
  expect(Object.keys(bothWays).toSorted()).toEqual(pointed.map(({ name }) => name).toSorted());
});

test.each(pointed)("$name asks the same by words and by pointing", { timeout }, ({ name, form }) => {
  const said = bothWays[name] ?? fc.constant({ words: [], values: {} });

  fc.assert(
    fc.property(said, ({ words, values }) => {
      const byWords = parseText(typed(name, words)).ask;
      const byPointing = form?.fill(values);

      expect(byPointing).toEqual({ kind: "ask", ask: byWords });
    }),
    settings,
  );
});

test.each(pointed)(
  "$name takes words that stop anywhere into its form, or not at all",
  { timeout },
  ({ name, form, parse, unfinished }) => {
    const said = bothWays[name] ?? fc.constant({ words: [], values: {} });

    fc.assert(
      fc.property(said, fc.nat(12), ({ words }, count) => {
        const begun = words.slice(0, count);
        const values = unfinished?.(begun);
        if (values === undefined) return;

        expect(() => parse(begun)).toThrow(UserError);
        const filled = form?.fill(values);
        const said = filled?.kind === "errors" ? Object.keys(filled.errors) : [];
        expect(said.filter((id) => values[id] !== undefined)).toEqual([]);
        // `domains web` lacks words, and an empty list is one that can be set: somebody agrees to what that would do.
        expect(said.length > 0 || form?.hasPreview === true).toBe(true);
      }),
      settings,
    );
  },
);
