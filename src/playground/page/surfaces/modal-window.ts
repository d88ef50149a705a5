import { h, type JSX, type RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type JsonObject, objectsOf } from "../../json.ts";
import type { WireView } from "../../wire.ts";
import { Blocks } from "../blocks/blocks.ts";
import { IconButton, useDialog } from "../controls/controls.ts";
import { perform, useApp } from "../app/page-state.ts";
import { filledIn, useBlockContext } from "./use-block-context.ts";
import { wordsOf } from "../../block-kit.ts";

function label(view: WireView, name: string, otherwise: string): string {
  return wordsOf(view.content, name) || otherwise;
}

function Foot(props: { readonly view: WireView; readonly isBusy: boolean; readonly close: () => void }): JSX.Element {
  const { view, isBusy, close } = props;
  const hasSubmit = view.content["submit"] !== undefined;
  return h(
    "footer",
    { class: "modal-foot" },
    h("button", { type: "button", class: "btn", onClick: close }, label(view, "close", hasSubmit ? "Cancel" : "Close")),
    hasSubmit
      ? h(
          "button",
          // Not disabled, which would lose the focus.
          { type: "submit", class: "btn primary", "aria-disabled": isBusy, "aria-busy": isBusy },
          isBusy ? "Sending…" : label(view, "submit", "Submit"),
        )
      : null,
  );
}

/** `refused` counts the submissions that ended with errors. */
function useSubmitting(view: WireView) {
  const { route, attempt } = useApp();
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState(0);
  const submit = (values: JsonObject): void => {
    setBusy(true);
    const send = async (): Promise<void> => {
      const { errors } = await perform("submit", { as: route.as, view: view.id, values });
      if (Number(errors) > 0) setRefused((before) => before + 1);
    };
    attempt(send().finally(() => setBusy(false)));
  };
  return { isBusy, refused, submit };
}

function ViewForm({ view, close }: { readonly view: WireView; readonly close: () => void }): JSX.Element {
  const { context, edits, markSent } = useBlockContext({ in: "view", view });
  const { isBusy, refused, submit } = useSubmitting(view);
  const form = useRef<HTMLFormElement>(null);
  /** An error of the whole view. */
  const problem = view.errors[""];
  useFirstFocus(form, view);
  useFocusOnError(form, view, refused);
  const { expect, forget } = useShowAnswer(form, view);
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    if (isBusy) return;
    markSent();
    expect();
    submit(filledIn(view, edits));
  };
  return h(
    "form",
    // Fields are validated in Slack's words, not the browser's.
    { ref: form, class: "modal-form fill column", noValidate: true, onSubmit, "aria-busy": isBusy },
    h(
      "div",
      {
        class: "modal-blocks fill scroll",
        tabIndex: 0,
        role: "group",
        "aria-label": label(view, "title", "Window"),
        onPointerDown: forget,
        onKeyDown: forget,
      },
      h(Blocks, { blocks: objectsOf(view.content["blocks"]), context }),
      problem === undefined ? null : h("p", { class: "modal-error", role: "alert" }, problem),
    ),
    h(Foot, { view, isBusy, close }),
  );
}

/** The open modal. */
export function ModalWindow({ view }: { readonly view: WireView }): JSX.Element {
  const { route, attempt } = useApp();
  const close = (): void => attempt(perform("close", { as: route.as, view: view.id }));
  const dialog = useDialog();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return h(
    "dialog",
    {
      ref: dialog,
      class: "modal above",
      "aria-labelledby": "modal-title",
      onKeyDown,
      // If a focused field was removed, the dialog gets no key events, only this one.
      onCancel: (event: Event) => {
        event.preventDefault();
        close();
      },
    },
    h(
      "header",
      { class: "modal-head row" },
      h("h2", { id: "modal-title", class: "fill" }, label(view, "title", "Window")),
      h(IconButton, { icon: "close", label: "Close the form", onClick: close }),
    ),
    h(ViewForm, { key: view.id, view, close }),
  );
}

/** A line about a form that this person has open in another window or in a terminal. */
export function FormElsewhere({ view, onShow }: { readonly view: WireView; readonly onShow: () => void }): JSX.Element {
  const { route, attempt } = useApp();
  const title = wordsOf(view.content, "title");
  const where = view.session === "terminal" ? "a terminal" : "another window";
  const close = (): void => attempt(perform("close", { as: route.as, view: view.id }));
  return h(
    "p",
    { class: "form-elsewhere row", role: "status" },
    h("span", null, `You opened the form “${title}” in ${where}.`),
    h("button", { type: "button", class: "btn small", onClick: onShow }, "Show it here"),
    h("button", { type: "button", class: "btn small", onClick: close }, "Close it"),
  );
}

/** Whether the form was opened in another window or in a terminal. */
export function isElsewhere(view: WireView, session: string): boolean {
  return view.session !== "" && view.session !== session;
}

type Form = RefObject<HTMLFormElement | null>;

const fields = "input, textarea, select, [role=combobox], button";

/** The first field of a form; for radio buttons the checked one, as with Tab. */
function fieldIn(form: Element): HTMLElement | null {
  const first = form.querySelector<HTMLElement>("[autofocus]") ?? form.querySelector<HTMLElement>(fields);
  if (!(first instanceof HTMLInputElement) || first.type !== "radio") return first;
  return form.querySelector<HTMLElement>(`input[name="${CSS.escape(first.name)}"]:checked`) ?? first;
}

/**
 * A new view focuses its first field. If the focused element disappears, for example a button that revealed more
 * fields, the first new field gets the focus.
 */
function useFirstFocus(form: Form, { content }: WireView): void {
  const seen = useRef<WeakSet<Element>>(undefined);
  // After the layout effect that opens the dialog: a closed dialog can't have the focus.
  useEffect(() => {
    const blocks = form.current?.querySelector<HTMLElement>(".modal-blocks");
    if (blocks === null || blocks === undefined) return;
    const inputs = [...blocks.querySelectorAll(".input-block")];
    const before = seen.current;
    seen.current = new WeakSet(inputs);
    const isSomewhere = document.activeElement?.matches("dialog *:not(.modal-blocks)") === true;
    if (before !== undefined && isSomewhere) return;
    const fresh = before === undefined ? undefined : inputs.find((input) => !before.has(input));
    fresh?.scrollIntoView({ block: "nearest" });
    (fieldIn(fresh ?? blocks) ?? blocks).focus();
  }, [JSON.stringify(content)]);
}

/** After a refused submission, scrolls to the first error and focuses its field. */
function useFocusOnError(form: Form, { errors }: WireView, refused: number): void {
  useEffect(() => {
    if (Object.keys(errors).length === 0) return;
    const wrong = form.current?.querySelector(".input-block.wrong, .modal-error");
    if (wrong === null || wrong === undefined) return;
    fieldIn(wrong)?.focus({ preventScroll: true });
    wrong.scrollIntoView({ block: "nearest" });
    // The same errors can come twice, so refusals are counted.
  }, [JSON.stringify(errors), refused]);
}

/** The content above the first field, without ids, which may differ each time. */
function headOf({ content }: WireView): string {
  const blocks = objectsOf(content["blocks"]);
  const first = blocks.findIndex(({ type }) => type === "input");
  const head = first < 0 ? blocks : blocks.slice(0, first);
  return JSON.stringify(head.map(({ block_id: _id, ...block }) => block));
}

/**
 * Scrolls to content that the app puts above the fields in answer to a submission, until the person uses the form
 * again.
 */
function useShowAnswer(form: Form, view: WireView): { readonly expect: () => void; readonly forget: () => void } {
  const isExpected = useRef(false);
  useEffect(() => {
    if (isExpected.current) form.current?.querySelector(".modal-blocks")?.scrollTo({ top: 0 });
  }, [headOf(view)]);
  return {
    expect: () => void (isExpected.current = true),
    forget: () => void (isExpected.current = false),
  };
}
