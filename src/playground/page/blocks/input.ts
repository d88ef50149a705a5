import { h, type JSX } from "preact";
import { useId } from "preact/hooks";
import { objectOf, textOf } from "../../json.ts";
import type { BlockProps } from "./block-context.ts";
import { Element } from "./elements/elements.ts";
import { TextObject } from "./text/text-object.ts";
import { wordsOf } from "./text/plain-text.ts";

/** A labelled field with its hint and error. https://docs.slack.dev/reference/block-kit/blocks/input-block */
export function Input({ block, context }: BlockProps): JSX.Element {
  const id = useId();
  const error = context.errors[textOf(block["block_id"])];
  const hasHint = block["hint"] !== undefined;
  const describedBy = [...(error === undefined ? [] : [`${id}-error`]), ...(hasHint ? [`${id}-hint`] : [])].join(" ");
  const label = h(
    "div",
    { id: `${id}-label`, class: "input-label" },
    h(TextObject, { text: block["label"], context }),
    block["optional"] === true ? h("span", { class: "optional" }, " (optional)") : null,
  );
  return h(
    "div",
    { class: error === undefined ? "input-block" : "input-block wrong" },
    label,
    h(Element, {
      element: objectOf(block["element"]),
      block,
      context,
      name: wordsOf(block, "label"),
      labelId: `${id}-label`,
      describedBy: describedBy === "" ? undefined : describedBy,
    }),
    error === undefined ? null : h("div", { id: `${id}-error`, class: "input-error", role: "alert" }, error),
    hasHint
      ? h("div", { id: `${id}-hint`, class: "input-hint" }, h(TextObject, { text: block["hint"], context }))
      : null,
  );
}
