import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { type JsonObject, objectOf, textOf } from "../../json.ts";
import type { BlockContext } from "./block-context.ts";
import { link } from "./text/links.ts";
import { TextObject } from "./text/text-object.ts";
import { wordsOf } from "./text/plain-text.ts";

type ImageProps = { readonly image: JsonObject; readonly context: BlockContext };

/** An image; if it can't be loaded, a frame with its alt text. */
export function Image(props: ImageProps & { readonly size: "small" | "accessory" | "large" }): JSX.Element {
  const { image, context, size } = props;
  const [isBroken, setBroken] = useState(false);
  const alt = textOf(image["alt_text"]);
  const url = textOf(image["image_url"]);
  const source = context.image?.(url) ?? url;
  const file = textOf(objectOf(image["slack_file"])["id"]);
  if (file !== "") {
    const open = { type: "button" as const, title: alt, onClick: () => context.openFile(file) }; // the literal, not any string
    return h("button", { ...open, class: `image-frame size-${size}` }, `Open the file: ${alt}`);
  }
  if (source === "" || isBroken) {
    const shown = { role: "img" as const, "aria-label": alt, title: `${alt} (could not be loaded)` }; // the literal
    return h("span", { ...shown, class: `image-frame size-${size}` }, alt);
  }
  return h("img", {
    class: `image size-${size}`,
    src: source,
    alt,
    title: alt,
    loading: "lazy",
    referrerpolicy: "no-referrer",
    onError: () => setBroken(true),
  });
}

/** https://docs.slack.dev/reference/block-kit/blocks/image-block */
export function ImageBlock(props: { readonly block: JsonObject; readonly context: BlockContext }): JSX.Element {
  const { block, context } = props;
  const url = textOf(block["image_url"]);
  const title = h(TextObject, { text: block["title"], context });
  return h(
    "figure",
    { class: "image-block" },
    wordsOf(block, "title") === "" ? null : h("figcaption", null, url === "" ? title : link(url, title)),
    h(Image, { image: block, context, size: "large" }),
  );
}
