// The syntax between < and > in mrkdwn: https://docs.slack.dev/messaging/formatting-message-text

/** A piece of a line of mrkdwn. `raw` is its source, with entities. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bold" | "italic" | "strike" | "code"; readonly mark: string; readonly inner: readonly Piece[] }
  | { readonly kind: "user" | "channel" | "group"; readonly id: string }
  | { readonly kind: "broadcast"; readonly range: string }
  | { readonly kind: "link"; readonly url: string; readonly label: string }
  /** A bare URL, which Slack links automatically. */
  | { readonly kind: "address"; readonly url: string }
  | {
      readonly kind: "date";
      readonly seconds: number;
      readonly format: string;
      readonly url: string;
      readonly fallback: string;
    }
  | { readonly kind: "emoji"; readonly name: string; readonly raw: string }
  /** An unknown <!something>. */
  | { readonly kind: "unknown"; readonly raw: string; readonly label: string };

/** Decodes entities, once. */
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

/** Parses one <…>, passed without its brackets. */
export function parseTag(tag: string): Piece {
  const bar = tag.indexOf("|");
  const target = bar < 0 ? tag : tag.slice(0, bar);
  const label = bar < 0 ? "" : unescape(tag.slice(bar + 1));
  if (target.startsWith("@")) return { kind: "user", id: target.slice(1) };
  if (target.startsWith("#")) return { kind: "channel", id: target.slice(1) };
  if (target.startsWith("!")) return parseSpecial(target.slice(1), label);
  return { kind: "link", url: unescape(target), label };
}
