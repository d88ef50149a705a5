import { z } from "zod";
import { isPolite } from "../../commands/grammar/manners.ts";

/** What a message says to the bot, in its author's own words. */
export type Addressed = {
  readonly text: string;
  /**
   * The words before a mention in the middle of a sentence. Such a sentence is about a command as often as it is one, so
   * nothing in it runs at once.
   */
  readonly before?: string;
};

type SlackMessage = {
  /** In Slack's markup: https://docs.slack.dev/messaging/formatting-message-text */
  readonly text: string;
  readonly blocks?: readonly unknown[] | undefined;
  /** In a direct message nobody has to mention the bot. */
  readonly isDirect: boolean;
};

/** Undefined when the bot is mentioned only in a quote or in code. Pure. */
export function addressedBy(
  { text, blocks = [], isDirect }: SlackMessage,
  botId: string | undefined,
): Addressed | undefined {
  // Until Slack has said who the bot is, any person may be it.
  const mention = new RegExp(`<@${botId ?? "[UW][A-Z0-9]+"}(?:\\|[^>]*)?>`, "u");
  const { own, code } = ownWords(markupOf(blocks) ?? text, mention);
  const [before = "", ...others] = own.split(mention);
  if (others.length === 0 && !isDirect) return undefined;
  if (others.length === 0 || isPolite(before)) {
    const said = others.length === 0 ? before.trim() : wordsIn(others, botId);
    // A command in a code block is offered, not run: it is as often an example.
    return said === "" && code !== "" ? { text: code, before: "" } : { text: said };
  }
  const rest = wordsIn(others, botId);
  return isPolite(rest) ? { text: `${before.trim()} ${rest}`.trim() } : { text: rest, before };
}

/** The text after the first mention, without others at its ends. */
function wordsIn(parts: readonly string[], botId: string | undefined): string {
  const bare = parts.map((part) => part.replace(/^(?:[\s,:;]|[.!–—-]+(?=\s|$))+/u, "").trim());
  const first = bare.findIndex((part) => part !== "");
  const last = bare.findLastIndex((part) => part !== "");
  return bare.slice(Math.max(first, 0), last + 1).join(` <@${botId ?? ""}> `);
}

/** Without quoted lines, code blocks, and inline code with a mention; and what the code blocks say. */
function ownWords(markup: string, mention: RegExp): { readonly own: string; readonly code: string } {
  const blocks: string[] = [];
  const own = markup
    .replaceAll(/```([\s\S]*?)(?:```|$)/gu, (_whole, code: string) => {
      blocks.push(code);
      return "\n";
    })
    .replaceAll(/^[^\S\n]*(?:&gt;|>)(?:(?:&gt;|>){2}[\s\S]*|[^\n]*)/gmu, "")
    .replaceAll(/`[^`\n]+`/gu, (span) => (mention.test(span) ? " " : span));
  return { own, code: blocks.join("\n").trim() };
}

const Element = z.object({
  type: z.string(),
  elements: z.array(z.unknown()).catch([]),
  text: z.string().catch(""),
  style: z
    .object({ code: z.boolean().catch(false), strike: z.boolean().catch(false) })
    .catch({ code: false, strike: false }),
  user_id: z.string().catch(""),
  channel_id: z.string().catch(""),
  url: z.string().catch(""),
  name: z.string().catch(""),
});
type Element = z.infer<typeof Element>;

/**
 * What the composer of Slack sends, as markup: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block. Undefined for
 * a message without it.
 */
function markupOf(blocks: readonly unknown[]): string | undefined {
  const rich = blocks
    .flatMap((block) => Element.safeParse(block).data ?? [])
    .filter(({ type }) => type === "rich_text");
  return rich.length === 0 ? undefined : rich.map((block) => markupIn(block, "\n")).join("\n");
}

/** Sections in lists are the deepest that Slack sends. */
const DEEPEST = 4;

function markupIn({ elements }: Element, joint: string, depth = 0): string {
  if (depth > DEEPEST) return "";
  return elements
    .flatMap((each) => Element.safeParse(each).data ?? [])
    .map((element) => markup(element, depth + 1))
    .join(joint);
}

function markup(element: Element, depth: number): string {
  const { type, text, style } = element;
  switch (type) {
    case "rich_text_section":
      return markupIn(element, "", depth);
    case "rich_text_list":
      return markupIn(element, "\n", depth).replaceAll(/^/gmu, "• ");
    case "rich_text_quote":
      return markupIn(element, "", depth).replaceAll(/^/gmu, "> ");
    case "rich_text_preformatted":
      return `\`\`\`${markupIn(element, "", depth).replaceAll("`", "'")}\`\`\``;
    case "user":
      return styled(`<@${element.user_id}>`, style);
    case "channel":
      return `<#${element.channel_id}>`;
    case "emoji":
      return `:${element.name}:`;
    case "link":
      return styled(text === "" ? `<${element.url}>` : `<${element.url}|${escaped(text)}>`, style);
    default:
      return styled(escaped(text), style);
  }
}

function styled(text: string, { code, strike }: Element["style"]): string {
  const mark = (code ? "`" : "") + (strike ? "~" : "");
  return text.trim() === "" ? text : `${mark}${text}${Array.from(mark).toReversed().join("")}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
