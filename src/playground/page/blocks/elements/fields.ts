import { h, type JSX } from "preact";
import { useRef } from "preact/hooks";
import { isList, type JsonObject, objectOf, textOf } from "../../../json.ts";
import type { ActionValue } from "../block-context.ts";
import { type ElementProps, fieldAttributes, useElement } from "./use-element.ts";
import { localMoment } from "../text/slack-date.ts";

const inputs: Readonly<Record<string, { readonly type: string; readonly inputMode?: "email" | "url" | "decimal" }>> = {
  plain_text_input: { type: "text" },
  rich_text_input: { type: "text" },
  number_input: { type: "number", inputMode: "decimal" },
  email_text_input: { type: "email", inputMode: "email" },
  url_text_input: { type: "url", inputMode: "url" },
};

// Assumed pause after typing; Slack does not document it.
const typingPause = 400;

// Assumed share of the maximum at which Slack shows a counter; it is not documented.
const counterFrom = 0.8;

/** The text of a rich text. Styles can't be typed here. */
function richWords(block: JsonObject): string {
  const elements = block["elements"];
  const inner = isList(elements) ? elements.map(objectOf).map(richWords) : [];
  return [textOf(block["text"]), ...inner].join(block["type"] === "rich_text" ? "\n" : "").replace(/^\n/, "");
}

function valueFor(type: string, text: string): ActionValue {
  if (text === "") return { kind: "none" };
  if (type !== "rich_text_input") return { kind: "text", text };
  const section = { type: "rich_text_section", elements: [{ type: "text", text }] };
  return { kind: "rich-text", block: { type: "rich_text", elements: [section] } };
}

function Counter(props: { readonly element: JsonObject; readonly text: string }): JSX.Element | null {
  const { min_length: min, max_length: max } = props.element;
  const { length } = props.text;
  if (typeof min === "number" && length < min) return h("div", { class: "counter" }, `at least ${min} characters`);
  if (typeof max !== "number" || length < max * counterFrom) return null;
  return h("div", { class: length > max ? "counter over" : "counter" }, `${length} / ${max}`);
}

function useTyping(props: ElementProps) {
  const { element } = props;
  const { value, hold, send, isBusy, extras } = useElement(props);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  // https://docs.slack.dev/reference/block-kit/composition-objects/dispatch-action-configuration-object
  const configured = objectOf(element["dispatch_action_config"])["trigger_actions_on"];
  const triggers: readonly unknown[] = isList(configured) ? configured : ["on_enter_pressed"];
  const type = textOf(element["type"]);
  const onInput = (event: Event): void => {
    const field = event.currentTarget;
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    const next = valueFor(type, field.value);
    hold(next);
    if (!triggers.includes("on_character_entered")) return;
    clearTimeout(pause.current);
    pause.current = setTimeout(() => send(next), typingPause);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey && triggers.includes("on_enter_pressed")) send(value);
  };
  const text = value.kind === "rich-text" ? richWords(value.block) : value.kind === "text" ? value.text : "";
  return { text, isBusy, extras, handlers: { onInput, onKeyDown } };
}

/** Text fields: https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
export function TextField(props: ElementProps): JSX.Element {
  const { element } = props;
  const { text, isBusy, extras, handlers } = useTyping(props);
  const type = textOf(element["type"]);
  const shared = { ...fieldAttributes(props), ...handlers, class: "field", value: text, "aria-busy": isBusy };
  const isLong = element["multiline"] === true || type === "rich_text_input";
  const range = {
    min: textOf(element["min_value"]) || undefined,
    max: textOf(element["max_value"]) || undefined,
    step: element["is_decimal_allowed"] === true ? "any" : 1,
  };
  const field = isLong
    ? h("textarea", { ...shared, rows: 4 })
    : h("input", { ...shared, ...inputs[type], ...(type === "number_input" ? range : {}) });
  return h("div", { class: "element typed" }, field, h(Counter, { element, text }), extras);
}

// Browsers fire a change for each typed digit of a date: the bot gets one action when the person pauses or leaves.
const datePause = 700;

const kinds: Readonly<Record<string, { readonly type: string; readonly read: (text: string) => ActionValue }>> = {
  datepicker: { type: "date", read: (date) => ({ kind: "date", date }) },
  timepicker: { type: "time", read: (time) => ({ kind: "time", time }) },
  datetimepicker: {
    type: "datetime-local",
    read: (text) => ({ kind: "date-time", seconds: Math.floor(new Date(text).getTime() / 1000) }),
  },
};

function shownIn(value: ActionValue): string {
  if (value.kind === "date") return value.date;
  if (value.kind === "time") return value.time;
  return value.kind === "date-time" ? localMoment(value.seconds) : "";
}

/** datepicker, timepicker and datetimepicker as native fields. */
export function DateField(props: ElementProps): JSX.Element {
  const { value, hold, pick, isBusy, extras } = useElement(props);
  const kind = kinds[textOf(props.element["type"])];
  const pending = useRef<ActionValue>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const send = (): void => {
    clearTimeout(timer.current);
    const { current } = pending;
    pending.current = undefined;
    if (current !== undefined) pick(current);
  };
  const onChange = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLInputElement) || kind === undefined) return;
    const text = event.currentTarget.value;
    // A partly typed year: 0002, 0020 …
    if (/^0\d{3}-/.test(text)) return;
    pending.current = text === "" ? { kind: "none" } : kind.read(text);
    if (props.block["type"] === "input") hold(pending.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(send, datePause);
  };
  const field = h("input", {
    ...fieldAttributes(props),
    class: "field date",
    type: kind?.type ?? "text",
    value: shownIn(value),
    "aria-busy": isBusy,
    onChange,
    onBlur: send,
  });
  return h("span", { class: "element" }, field, extras);
}
