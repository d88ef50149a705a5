import { h, type JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type JsonObject, objectOf, objectsOf, textOf } from "../../json.ts";
import type { WireView } from "../../live/wire.ts";
import { Blocks } from "../blocks/blocks.ts";
import { IconButton } from "./icon-button.ts";
import { perform } from "./request.ts";
import { useShell } from "./shell-context.ts";
import { filledIn, useBlockContext } from "./use-block-context.ts";

function label(view: WireView, name: string, otherwise: string): string {
  return textOf(objectOf(view.content[name])["text"]) || otherwise;
}

type Closing = { readonly top: () => void; readonly all: () => void };

function useClosing(view: WireView): Closing {
  const { route, attempt } = useShell();
  const close = (all: boolean): void => attempt(perform("close", { as: route.as, view: view.id, all }));
  return { top: () => close(false), all: () => close(true) };
}

/** Keeps the page behind out of reach, and gives the focus back to where it was. */
function useDialog(): ReturnType<typeof useRef<HTMLDialogElement | null>> {
  const dialog = useRef<HTMLDialogElement | null>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    const cameFrom = document.activeElement;
    const open = (): void => {
      if (current?.isConnected === true && !current.open) current.showModal();
    };
    open();
    // A browser closes a dialog at the second Escape whatever the page says; the workspace decides when it goes.
    current?.addEventListener("close", open);
    return () => {
      current?.removeEventListener("close", open);
      current?.close();
      if (cameFrom instanceof HTMLElement) cameFrom.focus();
    };
  }, []);
  return dialog;
}

function Foot(props: { readonly view: WireView; readonly isBusy: boolean; readonly closing: Closing }): JSX.Element {
  const { view, isBusy, closing } = props;
  const hasSubmit = view.content["submit"] !== undefined;
  return h(
    "footer",
    { class: "modal-foot" },
    h(
      "button",
      { type: "button", class: "btn", onClick: closing.top },
      label(view, "close", hasSubmit ? "Cancel" : "Close"),
    ),
    hasSubmit
      ? h(
          "button",
          { type: "submit", class: "btn primary", disabled: isBusy, "aria-busy": isBusy },
          isBusy ? "Sending…" : label(view, "submit", "Submit"),
        )
      : null,
  );
}

/** What the bot or Slack said of the whole window: errors under no field. */
function Trouble({ view }: { readonly view: WireView }): JSX.Element | null {
  const text = view.errors[""];
  return text === undefined ? null : h("p", { class: "modal-error", role: "alert" }, text);
}

/** A new view has the focus in its first field, so that one can type at once; so has one that lost what had it. */
function useFirstFocus(form: { readonly current: HTMLFormElement | null }, { content }: WireView): void {
  const isOpened = useRef(false);
  // After the layout effect that opens the dialog: what is closed cannot have the focus.
  useEffect(() => {
    const { activeElement } = document;
    const isSomewhere = activeElement?.matches("dialog *:not(.modal-blocks)") === true;
    if (isOpened.current && isSomewhere) return;
    isOpened.current = true;
    const fields = "input, textarea, select, [role=combobox], button";
    const blocks = form.current?.querySelector<HTMLElement>(".modal-blocks");
    const wanted = blocks?.querySelector<HTMLElement>("[autofocus]") ?? blocks?.querySelector<HTMLElement>(fields);
    (wanted ?? blocks)?.focus();
  }, [JSON.stringify(content)]);
}

/** After a submission that was not taken, the first field with an error has the focus. */
function useFocusOnError(form: { readonly current: HTMLFormElement | null }, errors: WireView["errors"]): void {
  useEffect(() => {
    if (Object.keys(errors).length === 0) return;
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [JSON.stringify(errors)]);
}

function ViewForm({ view, closing }: { readonly view: WireView; readonly closing: Closing }): JSX.Element {
  const { route, attempt } = useShell();
  const { context, edits, markSent } = useBlockContext({ in: "view", view }, "modal");
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useFirstFocus(form, view);
  useFocusOnError(form, view.errors);
  const submit = (values: JsonObject): void => {
    setBusy(true);
    attempt(perform("submit", { as: route.as, view: view.id, values }).finally(() => setBusy(false)));
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    if (isBusy) return;
    markSent();
    submit(filledIn(view, edits));
  };
  return h(
    "form",
    // Slack checks the fields, and says so in its own words.
    { ref: form, class: "modal-form", noValidate: true, onSubmit, "aria-busy": isBusy },
    h(
      "div",
      { class: "modal-blocks", tabIndex: 0, role: "group", "aria-label": label(view, "title", "Window") },
      h(Blocks, { blocks: objectsOf(view.content["blocks"]), context }),
      h(Trouble, { view }),
    ),
    h(Foot, { view, isBusy, closing }),
  );
}

/** The modal on top of the stack. */
export function ModalWindow({ view, below }: { readonly view: WireView; readonly below: number }): JSX.Element {
  const closing = useClosing(view);
  const dialog = useDialog();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    closing.top();
  };
  return h(
    "dialog",
    {
      ref: dialog,
      class: "modal",
      "aria-labelledby": "modal-title",
      onKeyDown,
      // Of a window whose focus went with a field: no key reaches it.
      onCancel: (event: Event) => {
        event.preventDefault();
        closing.top();
      },
    },
    h(
      "header",
      { class: "modal-head" },
      below > 0 ? h(IconButton, { icon: "back", label: "Back", onClick: closing.top }) : null,
      h("h2", { id: "modal-title" }, label(view, "title", "Window")),
      below > 0 ? h("span", { class: "pane-detail" }, `window ${below + 1} of 3`) : null,
      h(IconButton, { icon: "close", label: "Close all windows", onClick: closing.all }),
    ),
    h(ViewForm, { key: view.id, view, closing }),
  );
}
