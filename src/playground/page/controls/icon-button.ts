import { h, type JSX } from "preact";
import { Icon, type IconName } from "./icon.ts";

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
      class: `icon-button ${props.class ?? ""}`,
      "aria-label": label,
      title: label,
      "aria-pressed": isPressed,
      onClick,
    },
    h(Icon, { name: icon }),
  );
}
