import { h, type JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WireMessage, WireSnapshot } from "../../live/wire.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { userName } from "../app/workspace.ts";

/** The text as typed: names instead of ids. */
function typedText(snapshot: WireSnapshot, text: string): string {
  return text
    .replaceAll(/<@([A-Z0-9]+)>/gu, (_all, id: string) => `@${userName(snapshot, id)}`)
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
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
  const [text, setText] = useState(before);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(before.length, before.length);
  }, []);
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
  return h(
    "div",
    { class: "edit-box" },
    h("textarea", {
      ref: field,
      class: "composer-field",
      rows: Math.min(8, text.split("\n").length),
      value: text,
      "aria-label": "Edit message",
      onInput: (event: Event) => setText((event.currentTarget as HTMLTextAreaElement).value), // the field it is set on
      onKeyDown,
    }),
    h(
      "div",
      { class: "edit-buttons" },
      h("button", { type: "button", class: "btn small", onClick: onEnd }, "Cancel"),
      h("button", { type: "button", class: "btn small primary", disabled: isEmpty, onClick: save }, "Save"),
    ),
  );
}
