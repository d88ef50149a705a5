import { randomBytes } from "node:crypto";
import { isList, isObject, type Json, type JsonObject, objectsOf, textOf } from "../json.ts";

export function newId(prefix: string): string {
  return prefix + randomBytes(6).toString("hex").toUpperCase();
}

function withActionId(element: Json): Json {
  // Texts and images in context blocks and accessories act on nothing and get no id.
  if (!isObject(element) || ["image", "plain_text", "mrkdwn"].includes(textOf(element["type"]))) return element;
  return { ...element, action_id: element["action_id"] ?? randomBytes(3).toString("base64url") };
}

/** Where the elements that act stand in each kind of block. */
const elementFields: Readonly<Record<string, string>> = {
  actions: "elements",
  context_actions: "elements",
  card: "actions",
  section: "accessory",
  input: "element",
};

function withElementIds(block: JsonObject): JsonObject {
  const field = elementFields[textOf(block["type"])];
  const elements = field === undefined ? undefined : block[field];
  if (field === undefined || elements === undefined) return block;
  return { ...block, [field]: isList(elements) ? elements.map(withActionId) : withActionId(elements) };
}

/** The blocks that stand in other blocks get ids too. */
function withInnerIds(block: JsonObject): JsonObject {
  if (block["type"] === "carousel") return { ...block, elements: withIds(objectsOf(block["elements"])) };
  if (block["type"] === "container") return { ...block, child_blocks: withIds(objectsOf(block["child_blocks"])) };
  return block;
}

/** Blocks as Slack gives them back: each with a block_id, each element that acts with an action_id. */
export function withIds(blocks: readonly JsonObject[]): readonly JsonObject[] {
  return blocks.map((block) => {
    const made = withInnerIds(withElementIds(block));
    return { ...made, block_id: made["block_id"] ?? randomBytes(3).toString("base64url") };
  });
}
