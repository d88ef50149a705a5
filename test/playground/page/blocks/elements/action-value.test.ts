import { expect, test } from "vitest";
import type { Json } from "../../../../../src/playground/json.ts";
import { heldIn, stateOf } from "../../../../../src/playground/page/blocks/block-context.ts";
import { initialValue } from "../../../../../src/playground/block-kit.ts";

const small = { text: { type: "plain_text", text: "Small" }, value: "s" };

test.each([
  [{ type: "plain_text_input", initial_value: "web" }, "web", { value: "web" }],
  [{ type: "number_input", initial_value: "2" }, "2", { value: "2" }],
  [{ type: "static_select", initial_option: small }, small, { selected_option: small }],
  [{ type: "static_select" }, null, { selected_option: null }],
  [{ type: "radio_buttons", initial_option: small }, small, { selected_option: small }],
  [{ type: "checkboxes", initial_options: [small] }, [small], { selected_options: [small] }],
  [{ type: "checkboxes" }, [], { selected_options: [] }],
  [{ type: "users_select", initial_user: "U1" }, "U1", { selected_user: "U1" }],
  [{ type: "conversations_select", initial_conversation: "C1" }, "C1", { selected_conversation: "C1" }],
  [{ type: "datepicker", initial_date: "2026-11-20" }, "2026-11-20", { selected_date: "2026-11-20" }],
  [{ type: "datepicker" }, null, { selected_date: null }],
])("%j holds %j, which is carried as %j", (element, held, carried) => {
  const state = { type: element.type, ...carried };

  expect(initialValue(element)).toEqual(state);
  expect(heldIn(state)).toEqual(held);
  expect(stateOf(element.type, held)).toEqual(state);
});

test.each<[string, Json, object]>([
  ["plain_text_input", "", { value: null }],
  ["button", null, {}],
  ["overflow", small, { selected_option: small }],
])("%s with %j is carried as %j", (type, held, carried) => {
  expect(stateOf(type, held)).toEqual({ type, ...carried });
});
