import { h, type JSX } from "preact";
import { useRef } from "preact/hooks";
import { type JsonObject, textOf } from "../../../json.ts";
import type { ActionValue } from "../block-context.ts";
import { type ElementProps, fieldAttributes, useElement } from "./use-element.ts";

// Assumed share of the maximum at which Slack shows a counter; it is not documented.
const counterFrom = 0.8;

function Counter(props: { readonly element: JsonObject; readonly text: string }): JSX.Element | null {
  const { max_length: max } = props.element;
  const { length } = props.text;
  if (typeof max !== "number" || length < max * counterFrom) return null;
  return h("div", { class: length > max ? "counter over" : "counter" }, `${length} / ${max}`);
}

/** Text fields: https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
export function TextField(props: ElementProps): JSX.Element {
  const { element } = props;
  const { value, hold, send, isBusy, extras } = useElement(props);
  const text = value.kind === "text" ? value.text : "";
  const onInput = (event: Event): void => {
    const field = event.currentTarget;
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    hold(field.value === "" ? { kind: "none" } : { kind: "text", text: field.value });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey) send(value);
  };
  const shared = { ...fieldAttributes(props), onInput, onKeyDown, class: "field", value: text, "aria-busy": isBusy };
  const number = {
    type: "number",
    inputMode: "decimal",
    min: textOf(element["min_value"]) || undefined,
    max: textOf(element["max_value"]) || undefined,
    step: element["is_decimal_allowed"] === true ? "any" : 1,
  } as const; // the literal types of an input
  const field =
    element["multiline"] === true
      ? h("textarea", { ...shared, rows: 4 })
      : h("input", { ...shared, ...(element["type"] === "number_input" ? number : { type: "text" }) });
  return h("div", { class: "element typed" }, field, h(Counter, { element, text }), extras);
}

// Browsers fire a change for each typed digit of a date: the bot gets one action when the person pauses or leaves.
const datePause = 700;

/** A datepicker as a native field. */
export function DateField(props: ElementProps): JSX.Element {
  const { value, hold, pick, isBusy, extras } = useElement(props);
  const pending = useRef<ActionValue>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const send = (): void => {
    clearTimeout(timer.current);
    const { current } = pending;
    pending.current = undefined;
    if (current !== undefined) pick(current);
  };
  const onChange = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLInputElement)) return;
    const text = event.currentTarget.value;
    // A partly typed year: 0002, 0020 …
    if (/^0\d{3}-/.test(text)) return;
    pending.current = text === "" ? { kind: "none" } : { kind: "date", date: text };
    if (props.block["type"] === "input") hold(pending.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(send, datePause);
  };
  const field = h("input", {
    ...fieldAttributes(props),
    class: "field date",
    type: "date",
    value: value.kind === "date" ? value.date : "",
    "aria-busy": isBusy,
    onChange,
    onBlur: send,
  });
  return h("span", { class: "element" }, field, extras);
}
