import { h, type JSX, type RefObject } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

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
  readonly title: string;
  readonly text: string;
  /** The button that means yes. */
  readonly yes: string;
  readonly onDecision: (isYes: boolean) => void;
};

/** Asks before something that can't be undone. It traps the focus; Escape and the backdrop mean no. */
export function ConfirmDialog({ title, text, yes, onDecision }: Confirming): JSX.Element {
  const dialog = useModal();
  const id = useId();
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
      h("h2", { id: `${id}-title` }, title),
      h("div", { id: `${id}-text` }, text),
      h("div", { class: "confirm-answers" }, answer(false, "Cancel", "button"), answer(true, yes, "button danger")),
    ),
  );
}
