import fc from "fast-check";
import { expect, test } from "vitest";
import { commands } from "../../../../src/bot/commands/verbs.ts";
import type { FormField, FormValues } from "../../../../src/bot/commands/forms/form.ts";
import type { Form } from "../../../../src/bot/commands/command.ts";
import { anyCharacter } from "../../../support/any-character.ts";

const forms = commands.flatMap(({ name, form }) => (form === undefined ? [] : [{ name, form }]));

const hostile = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "../../",
    "a/../b",
    "\0",
    "web\nweb",
    "\u202eweb",
    "\ud83d",
    "<!channel>",
    "<@U0DANA>",
    "'; drop table runs; --",
    "--share",
    "-1",
    "1e9",
    "NaN",
    "[object Object]",
    "__proto__",
    "constructor",
    "yes",
    '"open',
    "“open",
    "=",
    "A=",
    "=A",
    "(",
    "a{1000}",
    "2026-02-30",
    "x".repeat(3_000),
    "👩‍👩‍👧‍👦".repeat(270),
    "a\n".repeat(1_500),
    "service/",
    "job/web",
    "service",
    "job",
    "day",
  ),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

/** The fields that a form has in any state. */
function everyField(form: Form): string[] {
  const states = [{}, { kind: "service" }, { kind: "job" }, { since: "day" }];
  return [...new Set(states.flatMap((values) => form.fields(values).map(({ id }) => id)))];
}

function hostileValues(form: Form): fc.Arbitrary<FormValues> {
  const ids = [...everyField(form), "__proto__", "constructor", "unheard-of"];
  return fc
    .array(fc.tuple(fc.constantFrom(...ids), hostile), { maxLength: ids.length })
    .map((entries) => Object.fromEntries(entries));
}

test.each(forms)(
  "$name: whatever stands in its fields ends in an Ask or in sentences under fields that are shown",
  ({ name, form }) => {
    fc.assert(
      fc.property(hostileValues(form), (values) => {
        const filled = form.fill(values);

        if (filled.kind === "ask") {
          // A version that ran before is gone back to.
          const isBack = name === "deploy" && filled.ask.args["revision"] !== undefined;
          expect(filled.ask.verb).toBe(isBack ? "rollback" : name);
          return;
        }
        const shown = form.fields(values).map(({ id }) => id);
        const said = Object.entries(filled.errors);
        expect(said.length).toBeGreaterThan(0);
        expect(said.filter(([id]) => !shown.includes(id))).toEqual([]);
        for (const [, sentence] of said) {
          expect(sentence.length).toBeLessThanOrEqual(400);
          expect(sentence).not.toMatch(/[\p{Cc}\u202e]/u);
          expect(sentence.isWellFormed()).toBe(true);
        }
      }),
    );
  },
);

test.each(forms)("$name: one hostile field, and the sentence stands under that one", ({ form }) => {
  const fields = everyField(form);
  const errorsOf = (values: FormValues): string[] => {
    const { fill } = form;
    const filled = fill(values);
    return filled.kind === "errors" ? Object.keys(filled.errors) : [];
  };

  fc.assert(
    fc.property(fc.constantFrom(...fields), hostile, (id, text) => {
      const before = errorsOf({});
      const after = errorsOf({ [id]: text });

      const fresh = after.filter((each) => !before.includes(each));
      // A ticked box may want a reason, and another kind has other fields.
      const others = fresh.filter((each) => each !== id && !["reason", "day", "confirm"].includes(each));
      expect(others).toEqual([]);
    }),
  );
});

test.each(forms)("$name: its labels and sentences fit where Slack shows them", ({ form }) => {
  const fields: readonly FormField[] = [{}, { kind: "service" }, { kind: "job" }, { since: "day" }].flatMap((values) =>
    form.fields(values),
  );

  expect(form.title.length).toBeLessThanOrEqual(24);
  expect(form.submit.length).toBeLessThanOrEqual(24);
  for (const { label, hint = "", placeholder = "", input } of fields) {
    expect(label.length).toBeLessThanOrEqual(40);
    expect(hint.length).toBeLessThanOrEqual(100);
    expect(placeholder.length).toBeLessThanOrEqual(60);
    for (const { text, description = "" } of input.kind === "choice" ? input.options : []) {
      expect(text.length).toBeLessThanOrEqual(75);
      expect(description.length).toBeLessThanOrEqual(75);
    }
  }
});
