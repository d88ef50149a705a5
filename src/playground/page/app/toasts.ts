import { h, type JSX } from "preact";
import { useCallback, useRef, useState } from "preact/hooks";
import { IconButton } from "../controls/icon-button.ts";

export type Toast = { readonly id: number; readonly text: string };

const shownMs = 8000;

type Toasts = {
  readonly toasts: readonly Toast[];
  readonly notify: (text: string) => void;
  readonly drop: (id: number) => void;
};

export function useToasts(): Toasts {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const drop = useCallback((id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)), []);
  const notify = useCallback((text: string) => {
    const id = (last.current += 1);
    setToasts((before) => [...before.filter((toast) => toast.text !== text), { id, text }]);
    setTimeout(() => drop(id), shownMs);
  }, []);
  return { toasts, notify, drop };
}

/** Screen readers announce toasts as they appear. */
export function ToastList({ toasts, drop }: Pick<Toasts, "toasts" | "drop">): JSX.Element {
  return h(
    "div",
    { class: "toasts", role: "status", "aria-live": "polite" },
    toasts.map(({ id, text }) =>
      h(
        "div",
        { key: id, class: "toast" },
        h("p", null, text),
        h(IconButton, { icon: "close", label: "Dismiss", onClick: () => drop(id) }),
      ),
    ),
  );
}
