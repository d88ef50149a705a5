// What stands between < and > in mrkdwn: https://docs.slack.dev/messaging/formatting-message-text

/** A piece of a line of mrkdwn. `raw` is what stood there, entities still as they were. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bold" | "italic" | "strike" | "code"; readonly mark: string; readonly inner: readonly Piece[] }
  | { readonly kind: "user" | "channel" | "group"; readonly id: string }
  | { readonly kind: "broadcast"; readonly range: string }
  | { readonly kind: "link"; readonly url: string; readonly label: string }
  /** An address without <>, which Slack links by itself. */
  | { readonly kind: "address"; readonly url: string }
  | {
      readonly kind: "date";
      readonly seconds: number;
      readonly format: string;
      readonly url: string;
      readonly fallback: string;
    }
  | { readonly kind: "emoji"; readonly name: string; readonly raw: string }
  /** <!something> that Slack does not know. */
  | { readonly kind: "unknown"; readonly raw: string; readonly label: string };

/** Entities as the characters they stand for, once. */
export function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

const broadcasts = new Set(["channel", "here", "everyone", "group"]);

function parseSpecial(inner: string, label: string): Piece {
  const [command = "", first = "", format = "", url = ""] = inner.split("^");
  if (broadcasts.has(command)) return { kind: "broadcast", range: command === "group" ? "channel" : command };
  if (command === "subteam") return { kind: "group", id: first };
  if (command === "date" && /^\d+$/.test(first)) {
    return { kind: "date", seconds: Number(first), format: unescape(format), url: unescape(url), fallback: label };
  }
  return { kind: "unknown", raw: `<!${inner}>`, label };
}

/** One <…>, given without its brackets: always live, whatever stands in it. */
export function parseTag(tag: string): Piece {
  const bar = tag.indexOf("|");
  const target = bar < 0 ? tag : tag.slice(0, bar);
  const label = bar < 0 ? "" : unescape(tag.slice(bar + 1));
  if (target.startsWith("@")) return { kind: "user", id: target.slice(1) };
  if (target.startsWith("#")) return { kind: "channel", id: target.slice(1) };
  if (target.startsWith("!")) return parseSpecial(target.slice(1), label);
  return { kind: "link", url: unescape(target), label };
}
