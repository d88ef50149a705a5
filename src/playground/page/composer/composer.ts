import { h, type JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Offer } from "./completion.ts";
import { Icon } from "../controls/icon.ts";
import { Menu } from "../controls/menu.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { type Composer as Typed, useComposer } from "./use-composer.ts";

/** Text put into the composer from outside: a new object each time, even for the same text. */
export type Draft = { readonly text: string };

function Offers({ id, typed }: { readonly id: string; readonly typed: Typed }): JSX.Element | null {
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
        offer.hint === undefined ? null : h("span", { class: "offer-hint" }, offer.hint),
      ),
      h("span", { class: "offer-detail" }, offer.detail),
    );
  return h("ul", { id, class: "offers", role: "listbox", "aria-label": "Suggestions" }, completion.offers.map(one));
}

function Field(props: { readonly id: string; readonly label: string; readonly typed: Typed }): JSX.Element {
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

function SendButton({ typed }: { readonly typed: Typed }): JSX.Element {
  const isEmpty = typed.text.trim() === "";
  return h(
    "button",
    {
      type: "button",
      class: "send",
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
  return items.length === 0 ? null : h(Menu, { icon: "bolt", label: "Shortcuts", items });
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
    typed.usage === "" ? null : h("p", { class: "usage" }, h("strong", null, "Usage: "), typed.usage),
    h(
      "div",
      { class: "composer-box" },
      thread === undefined ? h(Shortcuts, { run: onShortcut }) : null,
      h(Field, { id, label, typed }),
      h(SendButton, { typed }),
    ),
  );
}
