import { drawBroadcast, drawChannel, drawGroup, drawLink, drawUser, type Pen } from "./pen.ts";

// https://docs.slack.dev/messaging/formatting-message-text

const broadcasts = new Set(["channel", "here", "everyone", "group"]);

function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function drawSpecial(pen: Pen, inner: string, label: string): string {
  const [command = "", argument = ""] = inner.split("^");
  if (broadcasts.has(command)) return drawBroadcast(pen, command === "group" ? "channel" : command);
  if (command === "subteam") return drawGroup(pen, argument);
  return label === "" ? `<!${inner}>` : label;
}

/** One <…> of mrkdwn: always live, whatever stands in it. */
function drawTag(pen: Pen, tag: string): string {
  const bar = tag.indexOf("|");
  const target = bar < 0 ? tag : tag.slice(0, bar);
  const label = bar < 0 ? "" : unescape(tag.slice(bar + 1));
  if (target.startsWith("@")) return drawUser(pen, target.slice(1));
  if (target.startsWith("#")) return drawChannel(pen, target.slice(1));
  if (target.startsWith("!")) return drawSpecial(pen, target.slice(1), label);
  return drawLink(pen, unescape(target), label);
}

/**
 * mrkdwn as plain text. Live markup shows as what a reader sees (@channel, #ops, label (url)) and is noted in the pen;
 * entities become the characters they stand for, once; * _ ~ ` stay as they are.
 */
export function drawMrkdwn(pen: Pen, text: string): string {
  return text
    .split(/(<[^<>\s][^<>\n]*>)/)
    .map((part) => (/^<[^<>\s][^<>\n]*>$/.test(part) ? drawTag(pen, part.slice(1, -1)) : unescape(part)))
    .join("");
}

/** With parse=full or link_names, bare names are live too. */
export function noteBareNames(pen: Pen, text: string): void {
  for (const [name] of text.matchAll(/@[a-z0-9][a-z0-9._-]*/gi)) pen.mentions.push(name);
}
