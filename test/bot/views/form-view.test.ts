import type { ModalView } from "@slack/types";
import { describe, expect, test } from "vitest";
import { isObject, parseJson } from "../../../src/playground/json.ts";
import { section } from "../../../src/bot/views/kit/blocks.ts";
import { initialState } from "../../../src/playground/block-kit.ts";
import { blockOf, formElement, StateValues, valuesIn } from "../../../src/bot/views/forms/form-element.ts";
import { drawnForm } from "./support/drawn.ts";
import { fields, filledIn, form } from "./support/fields.ts";
import { expectFormFits } from "./support/judges.ts";

/** What Slack sends when the form is submitted as it was opened. */
function sent(view: ModalView): StateValues {
  const blocks = parseJson(JSON.stringify(view.blocks));
  return StateValues.parse(initialState(Array.isArray(blocks) ? blocks.filter(isObject) : []));
}

test("a form shows the fields that matter, and the others behind a button", () => {
  const view = form({ notes: ["`web` has 3 instances now."], above: [section("⚠️ Try again.")] });

  expectFormFits(view);
  expect(drawnForm(view)).toMatchInlineSnapshot(`
    "(Scale a service)
    ⚠️ Try again.
    web has 3 instances now.
    What:
    ( ) Service ( ) Job
    Service:
    [Choose one… ▾]
    Instances:
    [          ]
    0 stops all of them.
    Image:
    [          ] gantry/hello-web
    Command (optional):
    [          ]
    Memory:
    [Choose one… ▾]
    [More settings]
    [Scale] [Cancel]"
  `);
  expect(view).toMatchObject({ callback_id: "form:scale", private_metadata: "{}" });
});

test.each([
  ["2026-02-28", "2026-02-28"],
  ["2026-02-30", undefined],
  ["0999-12-31", undefined],
  ["2026.02.28", undefined],
])("the calendar of a date field opened with %s begins at %s", (value, initial) => {
  const element = formElement({ id: "day", label: "Day", input: { kind: "date" } }, value);

  expect("initial_date" in element ? element.initial_date : undefined).toBe(initial);
});

test("after More settings all fields stand there, with what stands in them", () => {
  const view = form({ values: filledIn, isMore: true, asksWhere: "write" });

  expectFormFits(view);
  expect(drawnForm(view)).toMatchInlineSnapshot(`
    "(Scale a service)
    What:
    (x) Service ( ) Job
    Service:
    [web ▾]
    Instances:
    [3]
    0 stops all of them.
    Image:
    [gantry/hello-web]
    Command (optional):
    [--greeting "hello you"]
    Memory:
    [1 GiB ▾]
    Variables (optional):
    [LOG_LEVEL=info
    MODE=fast]
    Image again (optional):
    (x) Pull it each time
    Instance (optional):
    [report-x7k2p ▾]
    Region (optional):
    [beijing1 ▾]
    Change (optional):
    [7K3M9Q ▾]
    Since (optional):
    [2026-11-20]
    By (optional):
    [Choose a person… ▾]
    Channel:
    [Choose a channel… ▾]
    Where the approval card and the outcome are posted.
    [Scale] [Cancel]"
  `);
});

test("a rarer field in which something stands is shown, and the others wait behind the button", () => {
  const rarer = fields.filter(({ isMore }) => isMore === true);
  const view = form({ values: { since: "2026-11-20" } });

  const ids = view.blocks.map(({ block_id }) => block_id);
  expect(ids).toContain("since");
  expect(rarer.filter(({ id }) => ids.includes(id))).toHaveLength(1);
  expect(drawnForm(view)).toContain("More settings");
});

test("what stands in a form is what is sent", () => {
  const values = { ...filledIn, channel: "C0OPS" };

  const back = valuesIn(sent(form({ values, isMore: true, asksWhere: "write" })));

  expect(back).toEqual(values);
});

test("a form in which nothing stands sends nothing", () => {
  expect(valuesIn(sent(form({ isMore: true, asksWhere: "write" })))).toEqual({});
});

test("values that came later stand in blocks of another generation, and are sent under their field", () => {
  const view = form({ values: filledIn, generations: { size: 2 } });

  const blocks = view.blocks.flatMap(({ block_id }) => (block_id === undefined ? [] : [block_id]));
  expect(blocks.slice(0, 4)).toEqual(["kind", "name", "size@2", "image"]);
  expect(valuesIn(sent(view))).toEqual(filledIn);
  expect([blockOf("size", blocks), blockOf("name", blocks), blockOf("none", blocks)]).toEqual([
    "size@2",
    "name",
    undefined,
  ]);
});

test("the pickers say by their action_id what they want", () => {
  const view = form({ isMore: true });

  const ids = JSON.stringify(view.blocks).matchAll(/"action_id":"(pick:[^"]+)"/gu);
  expect([...ids].map(([, id]) => id)).toEqual(["pick:service", "pick:instance", "pick:region", "pick:change"]);
});

describe("a value that Slack would refuse is left out, and the field stays", () => {
  test.each([
    ["size", "many"],
    ["size", "-1"],
    ["size", "10001"],
    ["size", "1.5"],
    ["image", "x".repeat(256)],
    ["mib", "700"],
    ["kind", "pod"],
    ["pull", "perhaps"],
    ["since", "2026-02-30"],
    ["since", "yesterday"],
    ["by", "dana"],
    ["env", "x".repeat(3001)],
    ["instance", "\ud83d".repeat(20)],
  ])("%s: %s", (id, value) => {
    const view = form({ values: { [id]: value }, isMore: true });

    expectFormFits(view);
    const { [id]: kept, ...others } = valuesIn(sent(view));
    expect(others).toEqual({});
    expect(kept).not.toBe(value);
    expect(view.blocks).toHaveLength(fields.length);
  });
});

test("a name that is too long for an option stands in a line instead", () => {
  const name = `service/${"x".repeat(200)}`;

  const view = form({ values: { name } });

  expectFormFits(view);
  expect(valuesIn(sent(view))).toEqual({ name });
});

test("what only explains why there are no options is no choice", () => {
  const state = { name: { "pick:service": { type: "external_select", selected_option: { value: "!none" } } } };

  expect(valuesIn(StateValues.parse(state))).toEqual({});
});

test("a form that would be too large for Slack leaves out what stands last", () => {
  const lines = Array.from({ length: 60 }, (_, at) => ({
    id: `lines-${at}`,
    label: "Lines",
    input: { kind: "lines", maxLength: 3000 } as const,
  }));

  const view = form({ fields: lines, values: Object.fromEntries(lines.map(({ id }) => [id, "日".repeat(3000)])) });

  expectFormFits(view);
  const kept = Object.keys(valuesIn(sent(view)));
  expect(kept[0]).toBe("lines-0");
  expect(kept.length).toBeGreaterThan(15);
  expect(view.blocks).toHaveLength(60);
});

test("names of the language are fields like others", () => {
  const odd = ["__proto__", "constructor", "toString"].map((id) => ({
    id,
    label: id,
    input: { kind: "text", maxLength: 20 } as const,
  }));

  const view = form({ fields: odd, values: Object.fromEntries(odd.map(({ id }) => [id, "x"])) });

  expectFormFits(form({ fields: odd }));
  expect(drawnForm(view)).toContain("constructor:\n[x]");
});

test("the cursor is in the first empty field that has to be filled in, and nowhere when all are", () => {
  const focusedIn = ({ blocks }: ModalView): number => JSON.stringify(blocks).split('"focus_on_load":true').length - 1;

  expect(focusedIn(form({}))).toBe(1);
  expect(focusedIn(form({ values: filledIn, isMore: true }))).toBe(0);
});
