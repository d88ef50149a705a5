import { type JsonObject, objectsOf, textOf } from "../json.ts";
import { drawBroadcast, drawChannel, drawGroup, drawLink, drawUser, type Pen } from "./pen.ts";

type Draw = (pen: Pen, part: JsonObject) => string;

const inline: Readonly<Record<string, Draw>> = {
  text: (_pen, part) => textOf(part["text"]),
  link: (pen, part) => drawLink(pen, textOf(part["url"]), textOf(part["text"])),
  user: (pen, part) => drawUser(pen, textOf(part["user_id"])),
  usergroup: (pen, part) => drawGroup(pen, textOf(part["usergroup_id"])),
  channel: (pen, part) => drawChannel(pen, textOf(part["channel_id"])),
  broadcast: (pen, part) => drawBroadcast(pen, textOf(part["range"])),
  emoji: (_pen, part) => `:${textOf(part["name"])}:`,
  color: (_pen, part) => textOf(part["value"]),
  team: (_pen, part) => textOf(part["team_id"]),
  date: (_pen, part) => textOf(part["fallback"]) || new Date(Number(part["timestamp"]) * 1000).toISOString(),
};

function drawInline(pen: Pen, holder: JsonObject): string {
  return objectsOf(holder["elements"])
    .map((part) => inline[textOf(part["type"])]?.(pen, part) ?? JSON.stringify(part))
    .join("");
}

function drawList(pen: Pen, list: JsonObject): string {
  const indent = "  ".repeat(Number(list["indent"] ?? 0));
  const start = Number(list["offset"] ?? 0) + 1;
  return objectsOf(list["elements"])
    .map(
      (item, index) => `${indent}${list["style"] === "ordered" ? `${start + index}.` : "•"} ${drawInline(pen, item)}`,
    )
    .join("\n");
}

const parts: Readonly<Record<string, Draw>> = {
  rich_text_section: drawInline,
  rich_text_list: drawList,
  rich_text_quote: (pen, part) => drawInline(pen, part).replaceAll(/^/gm, "> "),
  rich_text_preformatted: (pen, part) => `\`\`\`\n${drawInline(pen, part).replace(/\n$/, "")}\n\`\`\``,
};

export function drawRichText(pen: Pen, block: JsonObject): string {
  return objectsOf(block["elements"])
    .map((part) => parts[textOf(part["type"])]?.(pen, part) ?? JSON.stringify(part))
    .join("\n");
}
