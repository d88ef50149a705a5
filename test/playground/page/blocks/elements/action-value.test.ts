import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/playground/json.ts";
import { firstValue, stateOf, valueOf } from "../../../../../src/playground/page/blocks/block-context.ts";

const small = { text: { type: "plain_text", text: "Small" }, value: "s" };

describe("values are written to payloads and read back", () => {
  test.each([
    [{ type: "plain_text_input", initial_value: "web" }, { kind: "text", text: "web" }, { value: "web" }],
    [{ type: "number_input", initial_value: "2" }, { kind: "text", text: "2" }, { value: "2" }],
    [{ type: "static_select", initial_option: small }, { kind: "option", option: small }, { selected_option: small }],
    [{ type: "radio_buttons", initial_option: small }, { kind: "option", option: small }, { selected_option: small }],
    [
      { type: "checkboxes", initial_options: [small] },
      { kind: "options", options: [small] },
      { selected_options: [small] },
    ],
    [{ type: "users_select", initial_user: "U1" }, { kind: "id", id: "U1" }, { selected_user: "U1" }],
    [
      { type: "conversations_select", initial_conversation: "C1" },
      { kind: "id", id: "C1" },
      { selected_conversation: "C1" },
    ],
    [
      { type: "datepicker", initial_date: "2026-11-20" },
      { kind: "date", date: "2026-11-20" },
      { selected_date: "2026-11-20" },
    ],
  ] satisfies [JsonObject, object, JsonObject][])("%j", (element, value, carried) => {
    const state = { type: element.type, ...carried };

    expect(firstValue(element)).toEqual(value);
    expect(stateOf(element.type, firstValue(element))).toEqual(state);
    expect(valueOf(state)).toEqual(value);
  });
});

test.each([
  ["plain_text_input", { kind: "none" }, { value: null }],
  ["plain_text_input", { kind: "text", text: "" }, { value: null }],
  ["static_select", { kind: "none" }, { selected_option: null }],
  ["button", { kind: "click" }, {}],
  ["overflow", { kind: "option", option: small }, { selected_option: small }],
] as const)("%s with %j is carried as %j", (type, value, carried) => {
  expect(stateOf(type, value)).toEqual({ type, ...carried });
});

test.each([{ type: "button" }, { type: "static_select" }, { type: "datepicker" }, {}])(
  "%j holds nothing yet",
  (element) => {
    expect(firstValue(element)).toEqual({ kind: "none" });
  },
);

test("checkboxes hold no option yet", () => {
  expect(firstValue({ type: "checkboxes" })).toEqual({ kind: "options", options: [] });
});
