import { h, type JSX } from "preact";
import { useRef } from "preact/hooks";
import { textOf } from "../../../json.ts";
import type { ActionValue } from "../block-context.ts";
import { fieldAttributes } from "./field-attributes.ts";
import { localMoment } from "./local-moment.ts";
import { type ElementProps, useElement } from "./use-element.ts";

// Browsers fire a change for each typed digit of a date: the bot gets one action when the person pauses or leaves.
const typingPause = 700;

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

/** A partly typed year (0002, 0020 …) is ignored. */
function isUnfinished(text: string): boolean {
  return /^0\d{3}-/.test(text);
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
    if (isUnfinished(text)) return;
    pending.current = text === "" ? { kind: "none" } : kind.read(text);
    if (props.block["type"] === "input") hold(pending.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(send, typingPause);
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
