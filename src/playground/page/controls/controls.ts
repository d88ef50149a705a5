import { type ComponentChildren, h, type JSX, type RefObject } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { WireUser, WireFile } from "../../wire.ts";

/** Drawn for this page, on a grid of 20 × 20. */
const paths = {
  thread: "M4 5h12v8H9l-3 3v-3H4z",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  close: "M5 5l10 10M15 5L5 15",
  menu: "M3 6h14M3 10h14M3 14h14",
  send: "M4 10h11M11 5l5 5-5 5",
  eye: "M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 8a2 2 0 100 4 2 2 0 000-4z",
  lock: "M5 9h10v7H5zM7 9V7a3 3 0 016 0v2",
  bolt: "M11 2L5 11h4l-1 7 6-9h-4z",
  pulse: "M2 10h4l2-5 4 10 2-5h4",
  warning: "M10 3l8 14H2zM10 8v4M10 14.5h.01",
  file: "M5 2h7l3 3v13H5zM12 2v4h3",
  download: "M10 3v9M6 9l4 4 4-4M4 16h12",
  window: "M8 4H4v12h12v-4M11 3h6v6M17 3l-8 8",
  back: "M12 4l-6 6 6 6",
  down: "M5 8l5 5 5-5",
} as const;

export type IconName = keyof typeof paths;

/** An icon beside text or an aria-label, never instead of both. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return h(
    "svg",
    { class: "icon", viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true", focusable: "false" },
    h("path", { d: paths[name] }),
  );
}

/** A button with an icon and an accessible name. */
export function IconButton(props: {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly class?: string;
  readonly isPressed?: boolean;
}): JSX.Element {
  const { icon, label, onClick, isPressed } = props;
  return h(
    "button",
    {
      type: "button",
      class: `icon-button bare ${props.class ?? ""}`,
      "aria-label": label,
      title: label,
      "aria-pressed": isPressed,
      onClick,
    },
    h(Icon, { name: icon }),
  );
}

export function Download({ file }: { readonly file: WireFile }): JSX.Element {
  const named = { "aria-label": `Download ${file.name}`, title: "Download" };
  return h(
    "a",
    { class: "icon-button bare", href: `/files/${file.id}`, download: file.name, ...named },
    h(Icon, { name: "download" }),
  );
}

/** The head of a pane: its title and its close button. */
export function PaneHead(props: {
  readonly title: string;
  readonly detail: string;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { title, detail, onClose, children } = props;
  return h(
    "header",
    { class: "pane-head row" },
    h("h2", null, title),
    h("span", { class: "pane-detail fill cut muted", title: detail }, detail),
    children,
    h(IconButton, { icon: "close", label: `Close ${title.toLowerCase()}`, onClick: onClose }),
  );
}

/** White text has at least 4.5:1 on each of them. */
const hues = ["#7a4b8f", "#2f6b4f", "#a0472f", "#35618e", "#7d6015", "#93395f"];

/** Initials on a colour; apps have square corners. */
export function Avatar({
  user,
  size = "normal",
}: {
  readonly user: WireUser;
  readonly size?: "normal" | "small";
}): JSX.Element {
  const words = user.realName.split(/\s+/u);
  const initials = words.map((word) => Array.from(word)[0] ?? "").join("");
  const hue = Array.from(user.name).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % hues.length;
  const tone = user.isBot
    ? { class: `avatar avatar-app ${size}` }
    : { class: `avatar ${size}`, style: { background: hues[hue] } };
  return h("span", { ...tone, "aria-hidden": "true" }, initials.slice(0, 2).toUpperCase());
}

/** A switch with a line of explanation. */
export function Switch(props: {
  readonly label: string;
  readonly detail?: string;
  readonly isOn: boolean;
  readonly onChange: (on: boolean) => void;
}): JSX.Element {
  const { label, detail, isOn, onChange } = props;
  return h(
    "label",
    { class: "check fault" },
    h("input", { type: "checkbox", checked: isOn, onChange: () => onChange(!isOn) }),
    h(
      "span",
      null,
      h("span", { class: "fault-name" }, label),
      detail === undefined ? null : h("small", { class: "muted" }, detail),
    ),
  );
}

/** A labelled menu of the faults panel. */
export function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly onChange: (to: string) => void;
}): JSX.Element {
  const { label, value, options, onChange } = props;
  return h(
    "label",
    { class: "fault" },
    h("span", { class: "fault-name" }, label),
    h(
      "select",
      {
        class: "fault-select",
        value,
        onChange: (event: Event) => onChange((event.currentTarget as HTMLSelectElement).value),
      }, // the select it is set on
      Object.entries(options).map(([name, words]) =>
        h("option", { key: name, value: name, selected: name === value }, words),
      ),
    ),
  );
}

/**
 * For panes beside the conversation: on closing, the focus returns to where it came from, or to the composer if that
 * is gone too.
 */
export function useFocusReturn(): RefObject<HTMLElement | null> {
  const pane = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const cameFrom = document.activeElement;
    return () => {
      const { activeElement } = document;
      if (activeElement !== document.body && pane.current?.contains(activeElement) !== true) return;
      const isThere = cameFrom instanceof HTMLElement && cameFrom.isConnected && cameFrom !== document.body;
      const next = isThere ? cameFrom : document.querySelector<HTMLElement>(".composer-field");
      next?.focus();
    };
  }, []);
  return pane;
}

/** Opens a dialog as modal while mounted: the page behind is inert. Then the focus returns. */
export function useDialog(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    const cameFrom = document.activeElement;
    const open = (): void => {
      if (current?.isConnected === true && !current.open) current.showModal();
    };
    open();
    // Browsers close a dialog at the second Escape regardless of preventDefault; here the workspace decides.
    current?.addEventListener("close", open);
    return () => {
      current?.removeEventListener("close", open);
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
  const dialog = useDialog();
  const id = useId();
  const answer = (isYes: boolean, words: string, style: string): JSX.Element =>
    h("button", { type: "button", class: style, autofocus: isYes, onClick: () => onDecision(isYes) }, words);
  return h(
    "dialog",
    {
      ref: dialog,
      class: "confirm above",
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
