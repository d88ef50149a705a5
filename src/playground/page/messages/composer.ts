import { h, type JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { accept, type Completion, completionAt, type Offer, usageOf } from "./completion.ts";
import { Icon } from "../controls/controls.ts";
import { Menu } from "../controls/menu.ts";
import { perform, type Draft, useApp } from "../app/page-state.ts";
import type { WireSnapshot } from "../../wire.ts";

function Offers({ id, typed }: { readonly id: string; readonly typed: Typing }): JSX.Element | null {
  const { completion, chosen, take } = typed;
  if (completion === undefined) return null;
  const one = (offer: Offer, at: number): JSX.Element =>
    h(
      "li",
      {
        key: offer.kind + offer.label,
        id: `${id}-${at}`,
        role: "option",
        "aria-selected": at === chosen,
        class: "offer",
        onMouseDown: (event: MouseEvent) => event.preventDefault(),
        onClick: () => take(offer),
      },
      h(
        "span",
        { class: "offer-head" },
        h("span", { class: "offer-label" }, offer.label),
        offer.hint === undefined ? null : h("span", { class: "offer-hint cut" }, offer.hint),
      ),
      h("span", { class: "offer-detail muted" }, offer.detail),
    );
  return h(
    "ul",
    { id, class: "offers above scroll", role: "listbox", "aria-label": "Suggestions" },
    completion.offers.map(one),
  );
}

function Field(props: { readonly id: string; readonly label: string; readonly typed: Typing }): JSX.Element {
  const { id, label, typed } = props;
  const isOpen = typed.completion !== undefined;
  return h("textarea", {
    ref: typed.field,
    class: "composer-field",
    rows: 1,
    value: typed.text,
    placeholder: label,
    "aria-label": label,
    "aria-autocomplete": "list",
    "aria-haspopup": "listbox",
    "aria-controls": isOpen ? id : undefined,
    "aria-activedescendant": isOpen ? `${id}-${typed.chosen}` : undefined,
    spellcheck: false,
    autocomplete: "off",
    onInput: typed.onInput,
    onKeyDown: typed.onKeyDown,
  });
}

function SendButton({ typed }: { readonly typed: Typing }): JSX.Element {
  const isEmpty = typed.text.trim() === "";
  return h(
    "button",
    {
      type: "button",
      class: "send bare",
      "aria-label": "Send",
      title: "Send (Enter)",
      disabled: isEmpty,
      onClick: typed.send,
    },
    h(Icon, { name: "send" }),
  );
}

/** The app's global shortcuts, in a menu beside the field. */
function Shortcuts({ run }: { readonly run: (callbackId: string) => void }): JSX.Element | null {
  const shortcuts = useApp().snapshot.app.shortcuts.filter((each) => each.type === "global");
  const items = shortcuts.map(({ name, description, callbackId }) => ({
    label: name,
    detail: description,
    run: () => run(callbackId),
  }));
  return items.length === 0
    ? null
    : h(Menu, { class: "icon-button bare", label: "Shortcuts", items }, h(Icon, { name: "bolt" }));
}

/** The composer. With `thread` it replies there. */
export function Composer(props: {
  readonly label: string;
  readonly thread?: string;
  readonly draft?: Draft | undefined;
}): JSX.Element {
  const { label, thread, draft } = props;
  const { snapshot, channel, route, attempt } = useApp();
  const id = useId();
  const onShortcut = (callbackId: string): void => attempt(perform("shortcut", { as: route.as, callbackId }));
  const onSend = (text: string): void => {
    const where = thread === undefined ? {} : { thread };
    attempt(perform("say", { as: route.as, channel: channel.id, text, ...where }));
  };
  const typed = useComposer({ snapshot, onShortcut, onSend });
  const isInFront = thread === route.thread;
  useEffect(() => {
    if (isInFront) typed.field.current?.focus();
  }, [isInFront]);
  const taken = useRef(draft);
  useEffect(() => {
    // A draft from before this composer was mounted was meant for another one.
    if (draft !== undefined && draft !== taken.current) typed.setText(draft.text);
    taken.current = draft;
  }, [draft]);
  return h(
    "div",
    { class: "composer" },
    h(Offers, { id, typed }),
    typed.usage === "" ? null : h("p", { class: "usage muted" }, h("strong", null, "Usage: "), typed.usage),
    h(
      "div",
      { class: "composer-box" },
      thread === undefined ? h(Shortcuts, { run: onShortcut }) : null,
      h(Field, { id, label, typed }),
      h(SendButton, { typed }),
    ),
  );
}

type Typing = ReturnType<typeof useComposer>;

type Options = {
  readonly snapshot: WireSnapshot;
  readonly onSend: (text: string) => void;
  readonly onShortcut: (callbackId: string) => void;
};

/** The text, and a field that grows with it up to a height set by the style sheet. */
function useTyped() {
  const field = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState({ text: "", caret: 0, isPut: false });
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight}px`;
    // While typing, the browser moves the caret.
    if (!typed.isPut) return;
    current.focus();
    current.setSelectionRange(typed.caret, typed.caret);
  }, [typed]);
  return {
    field,
    text: typed.text,
    caret: typed.caret,
    /** The text that was typed. */
    note: (text: string, caret: number) => setTyped({ text, caret, isPut: false }),
    /** Sets a text, and the caret. */
    put: (text: string, caret: number) => setTyped({ text, caret, isPut: true }),
  };
}

/** The text, its suggestions, and the key handlers of both. Enter would accept the `chosen` suggestion. */
function useComposer({ snapshot, onSend, onShortcut }: Options) {
  const { field, text, caret, note, put } = useTyped();
  const [list, setList] = useState({ chosen: 0, isHidden: false });
  const completion = list.isHidden ? undefined : completionAt(snapshot, text, caret);
  const open = { chosen: 0, isHidden: false };
  const setText = (next: string, at = next.length): void => {
    setList(open);
    put(next, at);
  };
  const take = (offer: Offer): void => {
    if (offer.callbackId !== undefined) onShortcut(offer.callbackId);
    const next = accept(text, caret, { from: completion?.from ?? 0, insert: offer.insert });
    setText(next.text, next.caret);
  };
  const send = (): void => {
    if (text.trim() === "") return;
    onSend(text.trim());
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const listed = { chosen: list.chosen, change: setList, take };
    if (completion !== undefined && handleListKey(event, completion, listed)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  const onInput = (event: Event): void => {
    const target = event.currentTarget as HTMLTextAreaElement; // the field it is set on
    setList(open);
    note(target.value, target.selectionStart);
  };
  const usage = usageOf(snapshot, text);
  return { field, text, completion, chosen: list.chosen, usage, onInput, onKeyDown, take, setText, send };
}

type ListState = {
  readonly chosen: number;
  readonly change: (list: { readonly chosen: number; readonly isHidden: boolean }) => void;
  readonly take: (offer: Offer) => void;
};

/** Enter sends a complete word instead of suggesting it again. */
function isWhole(offer: Offer, from: number, event: KeyboardEvent): boolean {
  const field = event.currentTarget as HTMLTextAreaElement; // the field the keys are typed in
  return event.key === "Enter" && field.value.slice(from, field.selectionStart) === offer.label;
}

/** Arrows, Enter, Tab and Escape in the suggestions; false if a key belongs to the text. */
function handleListKey(
  event: KeyboardEvent,
  { from, offers }: Completion,
  { chosen, change, take }: ListState,
): boolean {
  const last = offers.length - 1;
  const offer = offers[Math.min(chosen, last)];
  const isTaking = (event.key === "Enter" || event.key === "Tab") && !event.shiftKey;
  if (event.key === "ArrowDown") change({ chosen: chosen >= last ? 0 : chosen + 1, isHidden: false });
  else if (event.key === "ArrowUp") change({ chosen: chosen <= 0 ? last : chosen - 1, isHidden: false });
  else if (event.key === "Escape") change({ chosen: 0, isHidden: true });
  else if (isTaking && offer !== undefined && !isWhole(offer, from, event)) take(offer);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}
