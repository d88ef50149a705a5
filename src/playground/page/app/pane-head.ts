import { type ComponentChildren, h, type JSX } from "preact";
import { IconButton } from "../controls/icon-button.ts";

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
    { class: "pane-head" },
    h("h2", null, title),
    h("span", { class: "pane-detail", title: detail }, detail),
    children,
    h(IconButton, { icon: "close", label: `Close ${title.toLowerCase()}`, onClick: onClose }),
  );
}
