import { h, type JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WireMessage, WireSnapshot } from "../../wire.ts";
import { perform, useApp } from "../app/page-state.ts";
import { userName } from "../app/workspace.ts";

/** The text as typed: names instead of ids. */
function typedText(snapshot: WireSnapshot, text: string): string {
  return text
    .replaceAll(/<@([A-Z0-9]+)>/gu, (_all, id: string) => `@${userName(snapshot, id)}`)
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** The field's text; the caret starts at its end. */
function useTyped(before: string) {
  const [text, setText] = useState(before);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(before.length, before.length);
  }, []);
  const onInput = (event: Event): void => setText((event.currentTarget as HTMLTextAreaElement).value); // the field it is set on
  return { field, text, onInput };
}

function Buttons(props: {
  readonly isEmpty: boolean;
  readonly onCancel: () => void;
  readonly onSave: () => void;
}): JSX.Element {
  const { isEmpty, onCancel, onSave } = props;
  return h(
    "div",
    { class: "edit-buttons" },
    h("button", { type: "button", class: "btn small", onClick: onCancel }, "Cancel"),
    h("button", { type: "button", class: "btn small primary", disabled: isEmpty, onClick: onSave }, "Save"),
  );
}

/** Edits one's own message in its place. Enter saves, Escape cancels. */
export function EditField({
  message,
  onEnd,
}: {
  readonly message: WireMessage;
  readonly onEnd: () => void;
}): JSX.Element {
  const { snapshot, route, attempt } = useApp();
  const before = typedText(snapshot, message.text);
  const { field, text, onInput } = useTyped(before);
  const isEmpty = text.trim() === "";
  const save = (): void => {
    if (isEmpty) return;
    const { channel, ts } = message;
    if (text !== before) attempt(perform("edit", { as: route.as, channel, ts, text: text.trim() }));
    onEnd();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isSaving = event.key === "Enter" && !event.shiftKey && !event.isComposing;
    if (!isSaving && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (isSaving) save();
    else onEnd();
  };
  const rows = Math.min(8, text.split("\n").length);
  const label = { "aria-label": "Edit message", class: "composer-field" };
  return h(
    "div",
    { class: "edit-box" },
    h("textarea", { ref: field, ...label, rows, value: text, onInput, onKeyDown }),
    h(Buttons, { isEmpty, onCancel: onEnd, onSave: save }),
  );
}
