import { h, type JSX } from "preact";
import { textOf } from "../../json.ts";
import type { BlockProps } from "./block-context.ts";
import { TextObject } from "./text/text-object.ts";

const signs: Readonly<Record<string, readonly [sign: string, name: string]>> = {
  default: ["•", "Note"],
  info: ["i", "Information"],
  warning: ["!", "Warning"],
  error: ["×", "Error"],
  success: ["✓", "Success"],
};

/** A note in a modal: https://docs.slack.dev/reference/block-kit/blocks/alert-block */
export function Alert({ block, context }: BlockProps): JSX.Element {
  const level = textOf(block["level"]);
  const known = Object.hasOwn(signs, level) ? level : "default";
  const [sign, name] = signs[known] ?? ["•", "Note"];
  return h(
    "div",
    { class: `alert ${known}`, role: "note", "aria-label": name },
    h("span", { class: "alert-sign", "aria-hidden": true }, sign),
    h(TextObject, { text: block["text"], context }),
  );
}
