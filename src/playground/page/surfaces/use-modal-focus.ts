import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { objectsOf } from "../../json.ts";
import type { WireView } from "../../wire.ts";

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
export function useFirstFocus(form: Form, { content }: WireView): void {
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
export function useFocusOnError(form: Form, { errors }: WireView, refused: number): void {
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
export function useShowAnswer(
  form: Form,
  view: WireView,
): { readonly expect: () => void; readonly forget: () => void } {
  const isExpected = useRef(false);
  useEffect(() => {
    if (isExpected.current) form.current?.querySelector(".modal-blocks")?.scrollTo({ top: 0 });
  }, [headOf(view)]);
  return {
    expect: () => void (isExpected.current = true),
    forget: () => void (isExpected.current = false),
  };
}
