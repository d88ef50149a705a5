import { boundedMap } from "../../platform/bounded-map.ts";
import { parseMrkdwn, type Part, type Piece } from "./mrkdwn-tree.ts";
import type { State, View } from "../workspace/state.ts";
import {
  type BlockType,
  type ElementType,
  type InlineType,
  type RichPartType,
  withEnteredValues,
  wordsOf,
} from "../block-kit.ts";
import { isObject, type Json, type JsonObject, objectOf, objectsOf, textOf } from "../json.ts";

function drawPieces(pen: Pen, pieces: readonly Piece[]): string {
  return pieces.map((piece) => drawPiece(pen, piece)).join("");
}

function drawPiece(pen: Pen, piece: Piece): string {
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "bold":
    case "italic":
    case "strike":
    case "code":
      return `${piece.mark}${drawPieces(pen, piece.inner)}${piece.mark}`;
    case "address":
      return piece.url;
    case "unknown":
      return piece.label === "" ? piece.raw : piece.label;
    case "user":
      return drawUser(pen, piece.id);
    case "channel":
      return drawChannel(pen, piece.id);
    case "group":
      return drawGroup(pen, piece.id);
    case "broadcast":
      return mentioned(pen, piece.range);
    case "link":
      return drawLink(pen, piece.url, piece.label);
  }
}

function drawPart(pen: Pen, part: Part): string {
  switch (part.kind) {
    case "lines":
      return drawPieces(pen, part.inner);
    case "pre":
      return `\`\`\`${drawPieces(pen, part.inner)}\`\`\``;
    case "quote":
      return part.lines.map((line) => `${line.mark.replaceAll("&gt;", ">")}${drawPieces(pen, line.inner)}`).join("\n");
    case "break":
      return "\n";
  }
}

/** Whoever looks at a channel has all its messages drawn, most of them as before. */
const MOST_PARSED = 1_000;
const parsed = boundedMap<string, readonly Part[]>(MOST_PARSED);

function partsOf(text: string): readonly Part[] {
  const parts = parsed.get(text) ?? parseMrkdwn(text);
  parsed.set(text, parts);
  return parts;
}

/**
 * mrkdwn as plain text. Mentions and links are printed as a reader sees them (@channel, #ops, label (url)) and
 * recorded in the pen. Entities are decoded once; * _ ~ ` stay.
 */
export function drawMrkdwn(pen: Pen, text: string): string {
  return partsOf(text)
    .map((part) => drawPart(pen, part))
    .join("");
}

/** Collects mentions and links while drawing. */
export type Pen = {
  readonly state: State;
  /** "@channel", "@dana", "@oncall": everybody the message would notify. */
  readonly mentions: string[];
  readonly links: string[];
};

export function newPen(state: State): Pen {
  return { state, mentions: [], links: [] };
}

function mentioned(pen: Pen, name: string): string {
  pen.mentions.push(`@${name}`);
  return `@${name}`;
}

export function drawUser(pen: Pen, id: string): string {
  return mentioned(pen, pen.state.users.get(id)?.name ?? id);
}

export function drawGroup(pen: Pen, id: string): string {
  return mentioned(pen, pen.state.groups.get(id)?.handle ?? id);
}

export function drawChannel(pen: Pen, id: string): string {
  const drawn = `#${pen.state.channels.get(id)?.name ?? id}`;
  pen.links.push(drawn);
  return drawn;
}

export function drawLink(pen: Pen, url: string, label: string): string {
  pen.links.push(url);
  return label === "" || label === url ? url : `${label} (${url})`;
}

/** A modal or a Home tab as plain text: title, blocks with what was entered, errors, buttons. */
export function drawView(pen: Pen, view: View): string {
  const { content, state } = view;
  const blocks = objectsOf(content["blocks"]);
  const errors = Object.entries(view.errors).map(([blockId, error]) => {
    // "! Instances: Enter a number", or only the error if it is about the whole form.
    const block = blocks.find((each) => each["block_id"] === blockId);
    const label = block === undefined ? "" : wordsOf(block, "label");
    return label === "" ? `! ${error}` : `! ${label}: ${error}`;
  });
  const submit = wordsOf(content, "submit");
  const close = wordsOf(content, "close") || (submit === "" ? "Close" : "Cancel");
  const buttons = view.type === "home" ? [] : [submit === "" ? `[${close}]` : `[${submit}] [${close}]`];
  const title = view.type === "home" ? "(home tab)" : `Form: ${wordsOf(content, "title")}`;
  return [title, drawBlocks(pen, withEnteredValues(blocks, state)), ...errors, ...buttons].join("\n");
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
    const { accessory } = block;
    return lines(drawText(pen, block["text"]), isObject(accessory) ? drawElement(pen, accessory) : "");
  },
  header: (pen, block) => `# ${drawText(pen, block["text"])}`,
  divider: () => "────────",
  context: (pen, block) =>
    objectsOf(block["elements"])
      .map((each) => drawText(pen, each))
      .join(" "),
  actions: (pen, block) =>
    objectsOf(block["elements"])
      .map((each) => drawElement(pen, each))
      .join(" "),
  input(pen, block) {
    const element = drawElement(pen, objectOf(block["element"]));
    const optional = block["optional"] === true ? " (optional)" : "";
    return lines(`${drawText(pen, block["label"])}${optional}:`, element, drawText(pen, block["hint"]));
  },
  rich_text: (pen, block) =>
    objectsOf(block["elements"])
      .map((part) => drawn(parts, pen, part))
      .join("\n"),
  plan: (_pen, block) => lines(textOf(block["title"]), ...objectsOf(block["tasks"]).map(drawTask)),
} satisfies Record<BlockType, Draw>;

const taskSigns: Readonly<Record<string, string>> = { pending: "○", in_progress: "…", complete: "✓", error: "✗" };

function drawTask(task: JsonObject): string {
  return `${taskSigns[textOf(task["status"])] ?? "○"} ${textOf(task["title"])}`;
}

/** By its type. A workspace that an older version saved may have types that aren't drawn any more. */
function drawn(draws: Readonly<Record<string, Draw>>, pen: Pen, json: JsonObject): string {
  const type = textOf(json["type"]);
  return draws[type]?.(pen, json) ?? `[not drawn here: ${type}]`;
}

/** Blocks as plain text, one after the other. */
export function drawBlocks(pen: Pen, blocks: readonly JsonObject[]): string {
  return blocks.map((block) => drawn(kinds, pen, block)).join("\n");
}

const inline: Readonly<Record<string, Draw>> = {
  text: (_pen, part) => textOf(part["text"]),
  link: (pen, part) => drawLink(pen, textOf(part["url"]), textOf(part["text"])),
  user: (pen, part) => drawUser(pen, textOf(part["user_id"])),
  usergroup: (pen, part) => drawGroup(pen, textOf(part["usergroup_id"])),
  channel: (pen, part) => drawChannel(pen, textOf(part["channel_id"])),
  date: (_pen, part) => textOf(part["fallback"]) || new Date(Number(part["timestamp"]) * 1000).toISOString(),
} satisfies Record<InlineType, Draw>;

function drawInline(pen: Pen, holder: JsonObject): string {
  return objectsOf(holder["elements"])
    .map((part) => drawn(inline, pen, part))
    .join("");
}

const parts: Readonly<Record<string, Draw>> = {
  rich_text_section: drawInline,
  rich_text_list: (pen, list) =>
    objectsOf(list["elements"])
      .map((item) => `• ${drawInline(pen, item)}`)
      .join("\n"),
  rich_text_preformatted: (pen, part) => `\`\`\`\n${drawInline(pen, part).replace(/\n$/, "")}\n\`\`\``,
} satisfies Record<RichPartType, Draw>;

/** The texts of the chosen options. */
function chosenIn(element: JsonObject): readonly string[] {
  return [objectOf(element["initial_option"]), ...objectsOf(element["initial_options"])]
    .map((each) => wordsOf(each))
    .filter((each) => each !== "");
}

function drawChoices(_pen: Pen, element: JsonObject): string {
  const chosen = chosenIn(element);
  return objectsOf(element["options"])
    .map((option) => `(${chosen.includes(wordsOf(option)) ? "x" : " "}) ${wordsOf(option)}`)
    .join(" ");
}

function drawMenu(_pen: Pen, element: JsonObject): string {
  const placeholder = wordsOf(element, "placeholder");
  return `[${chosenIn(element).join(", ") || placeholder || textOf(element["type"])} ▾]`;
}

/** An empty field shows its placeholder beside it, where nobody takes it for a value. */
function drawField(_pen: Pen, element: JsonObject): string {
  const value = textOf(element["initial_value"]) || textOf(element["initial_date"]);
  return value === "" ? `[          ] ${wordsOf(element, "placeholder")}`.trimEnd() : `[${value}]`;
}

/** An element as text: [Next], [Pick one ▾], [… Stop | Delete]. */
const elementKinds: Readonly<Record<string, Draw>> = {
  button(pen, element) {
    const url = textOf(element["url"]);
    if (url !== "") pen.links.push(url);
    return `[${wordsOf(element)}]`;
  },
  overflow: (_pen, element) =>
    `[… ${objectsOf(element["options"])
      .map((each) => wordsOf(each))
      .join(" | ")}]`,
  checkboxes: drawChoices,
  radio_buttons: drawChoices,
  static_select: drawMenu,
  multi_static_select: drawMenu,
  external_select: drawMenu,
  users_select: drawMenu,
  conversations_select: drawMenu,
  plain_text_input: drawField,
  number_input: drawField,
  datepicker: drawField,
} satisfies Record<ElementType, Draw>;

function drawElement(pen: Pen, element: JsonObject): string {
  return drawn(elementKinds, pen, element);
}
