import { h, type JSX } from "preact";
import type { Choice } from "./choice.ts";
import type { BlockContext } from "../block-context.ts";
import { plainWithEmoji } from "../text/text-object.ts";

/** The chosen values of a multi-select, each with a button that removes it. */
export function Chips(props: {
  readonly chosen: readonly Choice[];
  readonly context: BlockContext;
  readonly onRemove: (choice: Choice) => void;
}): JSX.Element {
  return h(
    "ul",
    { class: "picked-list", "aria-label": "Chosen" },
    ...props.chosen.map((choice) =>
      h(
        "li",
        { class: "picked", key: choice.key },
        h("span", { class: "plain", title: choice.words }, ...plainWithEmoji(props.context, choice.words)),
        h(
          "button",
          { type: "button", "aria-label": `Remove ${choice.words}`, onClick: () => props.onRemove(choice) },
          "×",
        ),
      ),
    ),
  );
}
