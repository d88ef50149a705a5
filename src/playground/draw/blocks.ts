import { isList, isObject, type Json, type JsonObject, objectOf, objectsOf, textOf } from "../json.ts";
import type { View } from "../workspace/state.ts";
import { withEnteredValues } from "../workspace/view-state.ts";
import { drawBroadcast, drawChannel, drawGroup, drawLink, drawUser, type Pen } from "./pen.ts";
import { drawMrkdwn } from "./mrkdwn.ts";

/** A modal or a Home tab as plain text: title, blocks with what was entered, errors, buttons. */
export function drawView(pen: Pen, view: View): string {
  const { content, state } = view;
  const blocks = objectsOf(content["blocks"]);
  const errors = Object.entries(view.errors).map(([blockId, error]) => {
    // "! Instances: Enter a number", or only the error if it is about the whole form.
    const block = blocks.find((each) => each["block_id"] === blockId);
    const label = block === undefined ? "" : textIn(block, "label");
    return label === "" ? `! ${error}` : `! ${label}: ${error}`;
  });
  const submit = textIn(content, "submit");
  const close = textIn(content, "close") || (submit === "" ? "Close" : "Cancel");
  const buttons = view.type === "home" ? [] : [submit === "" ? `[${close}]` : `[${submit}] [${close}]`];
  const title = view.type === "home" ? "(home tab)" : `Form: ${textIn(content, "title")}`;
  return [title, drawBlocks(pen, withEnteredValues(blocks, state)), ...errors, ...buttons].join("\n");
}

function textIn(holder: JsonObject, part: string): string {
  return textOf(objectOf(holder[part])["text"]);
}

type Draw = (pen: Pen, block: JsonObject) => string;

/** A text object: mrkdwn is parsed, plain_text is kept. */
function drawText(pen: Pen, text: Json | undefined): string {
  if (!isObject(text)) return "";
  return text["type"] === "mrkdwn" ? drawMrkdwn(pen, textOf(text["text"])) : textOf(text["text"]);
}

function lines(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

const kinds: Readonly<Record<string, Draw>> = {
  section(pen, block) {
    const accessory = block["accessory"];
    const beside = isObject(accessory) ? drawElement(pen, accessory) : "";
    const fields = objectsOf(block["fields"]).map((field) => drawText(pen, field));
    return lines(drawText(pen, block["text"]), ...fields, beside);
  },
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
  image: (pen, block) => lines(drawText(pen, block["title"]), drawElement(pen, block)),
  input(pen, block) {
    const element = isObject(block["element"]) ? drawElement(pen, block["element"]) : "";
    const optional = block["optional"] === true ? " (optional)" : "";
    return lines(`${drawText(pen, block["label"])}${optional}:`, element, drawText(pen, block["hint"]));
  },
  rich_text: drawRichText,
  table: drawTable,
  data_table: drawTable,
  alert: (pen, block) => `[${textOf(block["level"]) || "default"}] ${drawText(pen, block["text"])}`,
  markdown: (_pen, block) => textOf(block["text"]),
  plan: (pen, block) => lines(textOf(block["title"]), ...objectsOf(block["tasks"]).map((task) => drawTask(pen, task))),
  task_card: drawTask,
};

const taskSigns: Readonly<Record<string, string>> = { pending: "○", in_progress: "…", complete: "✓", error: "✗" };

function drawTask(pen: Pen, task: JsonObject): string {
  const more = ["details", "output"].map((part) => (isObject(task[part]) ? drawRichText(pen, task[part]) : ""));
  return lines(`${taskSigns[textOf(task["status"])] ?? "○"} ${textOf(task["title"])}`, ...more);
}

/** Blocks as plain text, one after the other. Unsupported blocks are printed as JSON. */
export function drawBlocks(pen: Pen, blocks: readonly JsonObject[]): string {
  return blocks
    .map((block) => {
      const type = textOf(block["type"]);
      return kinds[type]?.(pen, block) ?? `[not drawn here: ${type}] ${JSON.stringify(block)}`;
    })
    .join("\n");
}

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

function drawRichText(pen: Pen, block: JsonObject): string {
  return objectsOf(block["elements"])
    .map((part) => parts[textOf(part["type"])]?.(pen, part) ?? JSON.stringify(part))
    .join("\n");
}

function drawCell(pen: Pen, cell: Json): string {
  if (!isObject(cell)) return "";
  const drawn = cell["type"] === "rich_text" ? drawRichText(pen, cell) : textOf(cell["text"]);
  return drawn.replaceAll("\n", " ");
}

/** A table as aligned columns with two spaces between them. */
function drawTable(pen: Pen, block: JsonObject): string {
  const rows = isList(block["rows"])
    ? block["rows"].map((row) => (isList(row) ? row.map((cell) => drawCell(pen, cell)) : []))
    : [];
  const aligned = objectsOf(block["column_settings"]).map((setting) => setting["align"] === "right");
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return aligned[column] === true ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

function label(element: JsonObject): string {
  return textOf(objectOf(element["text"])["text"]);
}

function optionText(option: JsonObject): string {
  return label(option);
}

function drawChoices(element: JsonObject): string {
  const chosen = [objectOf(element["initial_option"]), ...objectsOf(element["initial_options"])].map(optionText);
  const mark = (option: JsonObject): string => (chosen.includes(optionText(option)) ? "x" : " ");
  return objectsOf(element["options"])
    .map((option) => `(${mark(option)}) ${optionText(option)}`)
    .join(" ");
}

function drawMenu(element: JsonObject): string {
  const chosen = [objectOf(element["initial_option"]), ...objectsOf(element["initial_options"])].map(optionText);
  const names = chosen.filter((each) => each !== "").join(", ");
  const placeholder = textOf(objectOf(element["placeholder"])["text"]);
  return `[${names || placeholder || textOf(element["type"])} ▾]`;
}

/** An empty field shows its placeholder beside it, where nobody takes it for a value. */
function drawField(element: JsonObject): string {
  const first = ["initial_value", "initial_date", "initial_time"]
    .map((name) => textOf(element[name]))
    .find((each) => each !== "");
  if (first !== undefined) return `[${first}]`;
  const placeholder = textOf(objectOf(element["placeholder"])["text"]);
  return placeholder === "" ? "[          ]" : `[          ] ${placeholder}`;
}

const elementKinds: Readonly<Record<string, (element: JsonObject) => string>> = {
  button: (element) => `[${label(element)}]`,
  overflow: (element) => `[… ${objectsOf(element["options"]).map(optionText).join(" | ")}]`,
  checkboxes: drawChoices,
  radio_buttons: drawChoices,
  image: (element) => `[image: ${textOf(element["alt_text"])}]`,
  plain_text_input: drawField,
  number_input: drawField,
  email_text_input: drawField,
  url_text_input: drawField,
  datepicker: drawField,
  timepicker: drawField,
};

/** An element as text: [Next], [Pick one ▾], [… Stop | Delete]. */
function drawElement(pen: Pen, element: JsonObject): string {
  const url = textOf(element["url"]);
  if (url !== "") pen.links.push(url);
  const type = textOf(element["type"]);
  if (type.endsWith("_select")) return drawMenu(element);
  return elementKinds[type]?.(element) ?? `[not drawn here: ${type}]`;
}
