import { h, type JSX, type RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { JsonObject } from "../../../json.ts";
import type { BlockContext } from "../block-context.ts";
import { TextObject } from "../text/text-object.ts";
import { wordsOf } from "../text/plain-text.ts";

/** Opens a dialog as modal while mounted, then returns the focus. */
function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    const cameFrom = document.activeElement;
    current?.showModal();
    return () => {
      current?.close();
      if (cameFrom instanceof HTMLElement) cameFrom.focus();
    };
  }, []);
  return dialog;
}

type Confirming = {
  readonly confirm: JsonObject;
  readonly context: BlockContext;
  readonly onDecision: (isYes: boolean) => void;
};

/**
 * A confirmation dialog. It traps the focus; Escape and the backdrop mean no.
 * https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
 */
export function ConfirmDialog(props: Confirming): JSX.Element {
  const { confirm, context, onDecision } = props;
  const dialog = useModal();
  const id = useId();
  const style = confirm["style"] === "danger" ? "button danger" : "button primary";
  const answer = (isYes: boolean, words: string, style: string): JSX.Element =>
    h("button", { type: "button", class: style, autofocus: isYes, onClick: () => onDecision(isYes) }, words);
  return h(
    "dialog",
    {
      ref: dialog,
      class: "confirm",
      "aria-labelledby": `${id}-title`,
      "aria-describedby": `${id}-text`,
      // Escape closes this dialog only, not a modal below.
      onKeyDown: (event: KeyboardEvent) => event.stopPropagation(),
      onCancel: (event: Event) => {
        event.preventDefault();
        onDecision(false);
      },
      onClick: (event: MouseEvent) => {
        if (event.target === dialog.current) onDecision(false);
      },
    },
    h(
      "div",
      { class: "confirm-body" },
      h("h2", { id: `${id}-title` }, wordsOf(confirm, "title") || "Are you sure?"),
      h("div", { id: `${id}-text` }, h(TextObject, { text: confirm["text"], context })),
      h(
        "div",
        { class: "confirm-answers" },
        answer(false, wordsOf(confirm, "deny") || "Cancel", "button"),
        answer(true, wordsOf(confirm, "confirm") || "Yes", style),
      ),
    ),
  );
}
