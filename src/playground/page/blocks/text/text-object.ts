import { type ComponentChild, h, type JSX } from "preact";
import { isObject, type Json, textOf } from "../../../json.ts";
import type { BlockContext } from "../block-context.ts";
import { emoji } from "./links.ts";
import { MrkdwnText } from "./mrkdwn-text.ts";

const emojiName = /:([a-z0-9+_'-]+(?:::skin-tone-[2-6])?):/;

/** Plain text; only emoji names are replaced. */
export function plainWithEmoji(context: BlockContext, text: string): readonly ComponentChild[] {
  return text.split(emojiName).map((part, at) => (at % 2 === 1 ? emoji(context, part) : part));
}

/** Plain text for fields and titles, which can't contain elements. */
export function charactersOf(context: BlockContext, text: string): string {
  return text
    .split(emojiName)
    .map((part, at) => (at % 2 === 1 ? (context.emoji(part) ?? `:${part}:`) : part))
    .join("");
}

/** A text object: https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
export function TextObject(props: {
  readonly text: Json | undefined;
  readonly context: BlockContext;
}): JSX.Element | null {
  const { text, context } = props;
  if (!isObject(text)) return null;
  const words = textOf(text["text"]);
  if (text["type"] === "mrkdwn") return h(MrkdwnText, { text: words, context });
  const drawn = text["emoji"] === false ? [words] : plainWithEmoji(context, words);
  return h("span", { class: "plain" }, ...drawn);
}
