import { type ComponentChildren, h, type JSX } from "preact";
import type { BlockContext } from "../block-context.ts";
import { safeLink } from "./plain-text.ts";
import { formatSlackDate } from "./slack-date.ts";

// Links, mentions and dates in text, the same in mrkdwn and rich text.

export function userMention(context: BlockContext, id: string): JSX.Element {
  return h("span", { class: "mention" }, `@${context.user(id)}`);
}

export function channelMention(context: BlockContext, id: string): JSX.Element {
  return h("span", { class: "mention" }, `#${context.channel(id)}`);
}

export function groupMention(context: BlockContext, id: string): JSX.Element {
  return h("span", { class: "mention" }, `@${context.usergroup(id)}`);
}

/** @channel, @here, @everyone, highlighted because they notify many. */
export function broadcastMention(range: string): JSX.Element {
  return h("span", { class: "mention mention-all" }, `@${range}`);
}

/** A link in a new tab; an unsafe address is shown as text. */
export function link(url: string, inner: ComponentChildren): JSX.Element {
  const href = safeLink(url);
  if (href === undefined) return h("span", { class: "dead-link", title: `Not opened here: ${url}` }, inner);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer" }, inner);
}

/** An emoji by Slack's name, or the name itself if unknown. */
export function emoji(context: BlockContext, name: string): JSX.Element | string {
  const characters = context.emoji(name);
  if (characters === undefined) return `:${name}:`;
  return h(
    "span",
    { class: "emoji", role: "img", "aria-label": name.replaceAll("_", " "), title: `:${name}:` },
    characters,
  );
}

type Moment = {
  readonly seconds: number;
  readonly format: string;
  readonly fallback: string;
};

export function moment(context: BlockContext, date: Moment): JSX.Element {
  const exact = new Date(date.seconds * 1000);
  const words = formatSlackDate({ ...date, now: context.now }) ?? (date.fallback || String(date.seconds));
  return Number.isFinite(exact.getTime())
    ? h("time", { dateTime: exact.toISOString(), title: exact.toISOString() }, words)
    : h("span", null, words);
}
