import { h, type JSX } from "preact";
import { isObject, type JsonObject, objectsOf, textOf } from "../../json.ts";
import type { BlockProps } from "./block-context.ts";
import { Element } from "./elements/elements.ts";
import { Image } from "./image.ts";
import { TextObject } from "./text/text-object.ts";
import { wordsOf } from "./text/plain-text.ts";

/** The accessible name of an element without a label. */
function nameOf(element: JsonObject, beside: string): string {
  const type = textOf(element["type"]).replaceAll("_", " ");
  return wordsOf(element, "placeholder") || beside.slice(0, 100) || type;
}

/** https://docs.slack.dev/reference/block-kit/blocks/section-block */
export function Section({ block, context }: BlockProps): JSX.Element {
  const { accessory } = block;
  const fields = objectsOf(block["fields"]).map((field) =>
    h("div", { class: "section-field" }, h(TextObject, { text: field, context })),
  );
  const text = h(TextObject, { text: block["text"], context });
  return h(
    "div",
    { class: "section" },
    h(
      "div",
      { class: "section-main" },
      text,
      fields.length === 0 ? null : h("div", { class: "section-fields" }, ...fields),
    ),
    isObject(accessory)
      ? h(
          "div",
          { class: "section-accessory" },
          h(Element, { element: accessory, block, context, name: nameOf(accessory, wordsOf(block)) }),
        )
      : null,
  );
}

/** https://docs.slack.dev/reference/block-kit/blocks/actions-block */
export function Actions({ block, context }: BlockProps): JSX.Element {
  const elements = objectsOf(block["elements"]).map((element) =>
    h(Element, { key: textOf(element["action_id"]), element, block, context, name: nameOf(element, "") }),
  );
  return h("div", { class: "actions" }, ...elements);
}

/** https://docs.slack.dev/reference/block-kit/blocks/context-block */
export function Context({ block, context }: BlockProps): JSX.Element {
  const elements = objectsOf(block["elements"]).map((element) =>
    element["type"] === "image"
      ? h(Image, { image: element, context, size: "small" })
      : h("span", { class: "context-text" }, h(TextObject, { text: element, context })),
  );
  return h("div", { class: "context" }, ...elements);
}
