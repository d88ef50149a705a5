import fc from "fast-check";
import { expect, test } from "vitest";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { UserError } from "../../../../src/bot/errors.ts";
import { bothWays, typed } from "../support/said-both-ways.ts";
import { saidByFields } from "../support/said-by-fields.ts";

const pointed = commands.flatMap((command) => {
  const { name, form, parse, unfinished } = command;
  if (form === undefined) return [];
  return [{ name, form, parse, unfinished, said: bothWays[name] ?? saidByFields(command, form) }];
});

test("what is said in a way of its own belongs to a verb that has a form", () => {
  expect(pointed.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(bothWays)));
});

test.each(pointed)("$name asks the same by words and by pointing", ({ name, form, said }) => {
  fc.assert(
    fc.property(said, ({ words, values }) => {
      const byWords = parseText(typed(name, words)).ask;
      const byPointing = form.fill(values);

      expect(byPointing).toEqual({ kind: "ask", ask: byWords });
    }),
  );
});

test.each(pointed)(
  "$name takes words that stop anywhere into its form, or not at all",
  ({ form, parse, unfinished, said }) => {
    fc.assert(
      fc.property(said, fc.nat(12), ({ words }, count) => {
        const begun = words.slice(0, count);
        const values = unfinished?.(begun);
        if (values === undefined) return;

        expect(() => parse(begun)).toThrow(UserError);
        const filled = form.fill(values);
        const wrong = filled.kind === "errors" ? Object.keys(filled.errors) : [];
        expect(wrong.filter((id) => values[id] !== undefined)).toEqual([]);
        // `domains web` lacks words, and an empty list is one that can be set: somebody agrees to what that would do.
        expect(wrong.length > 0 || form.hasPreview === true).toBe(true);
      }),
    );
  },
);
