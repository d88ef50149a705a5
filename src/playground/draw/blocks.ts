import { isObject, type Json, type JsonObject, objectsOf, textOf } from "../json.ts";
import { drawElement } from "./elements.ts";
import { drawMrkdwn } from "./mrkdwn.ts";
import type { Pen } from "./pen.ts";
import { drawRichText } from "./rich-text.ts";
import { drawTable } from "./table.ts";

/** A text object: mrkdwn is parsed, plain_text is kept. */
function drawText(pen: Pen, text: Json | undefined): string {
  if (!isObject(text)) return "";
  return text["type"] === "mrkdwn" ? drawMrkdwn(pen, textOf(text["text"])) : textOf(text["text"]);
}

function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

function drawSection(pen: Pen, block: JsonObject): string {
  const accessory = block["accessory"];
  const beside = isObject(accessory) ? drawElement(pen, accessory) : "";
  const fields = objectsOf(block["fields"]).map((field) => drawText(pen, field));
  return lines(drawText(pen, block["text"]), ...fields, beside);
}

function drawInput(pen: Pen, block: JsonObject): string {
  const element = isObject(block["element"]) ? drawElement(pen, block["element"]) : "";
  const optional = block["optional"] === true ? " (optional)" : "";
  return lines(`${drawText(pen, block["label"])}${optional}:`, element, drawText(pen, block["hint"]));
}

function drawImage(pen: Pen, block: JsonObject): string {
  return lines(drawText(pen, block["title"]), drawElement(pen, block));
}

type Draw = (pen: Pen, block: JsonObject) => string;

const kinds: Readonly<Record<string, Draw>> = {
  section: drawSection,
  header: (pen, block) => `# ${drawText(pen, block["text"])}`,
  divider: () => "────────",
  context: (pen, block) =>
    objectsOf(block["elements"])
      .map((each) => (each["type"] === "image" ? drawElement(pen, each) : drawText(pen, each)))
      .join(" "),
  actions: (pen, block) =>
    objectsOf(block["elements"])
      .map((each) => drawElement(pen, each))
      .join(" "),
  image: drawImage,
  input: drawInput,
  rich_text: drawRichText,
  table: drawTable,
  data_table: drawTable,
  alert: (pen, block) => `[${textOf(block["level"]) || "default"}] ${drawText(pen, block["text"])}`,
  markdown: (_pen, block) => textOf(block["text"]),
};

/** Blocks as plain text, one after the other. Unsupported blocks are printed as JSON. */
export function drawBlocks(pen: Pen, blocks: readonly JsonObject[]): string {
  return blocks
    .map((block) => {
      const type = textOf(block["type"]);
      return kinds[type]?.(pen, block) ?? `[not drawn here: ${type}] ${JSON.stringify(block)}`;
    })
    .join("\n");
}
