import { randomBytes } from "node:crypto";
import { isList, isObject, type Json, type JsonObject, textOf } from "./json.ts";

export function newId(prefix: string): string {
  return prefix + randomBytes(6).toString("hex").toUpperCase();
}

function withActionId(element: Json): Json {
  // Texts and images in context blocks and accessories act on nothing and get no id.
  if (!isObject(element) || ["image", "plain_text", "mrkdwn"].includes(textOf(element["type"]))) return element;
  return { ...element, action_id: element["action_id"] ?? randomBytes(3).toString("base64url") };
}

function withElementIds(block: JsonObject): JsonObject {
  const elements = block["elements"];
  if (block["type"] === "actions" && isList(elements)) return { ...block, elements: elements.map(withActionId) };
  if (block["type"] === "section" && block["accessory"] !== undefined) {
    return { ...block, accessory: withActionId(block["accessory"]) };
  }
  if (block["type"] === "input" && block["element"] !== undefined)
    return { ...block, element: withActionId(block["element"]) };
  return block;
}

/** Blocks as Slack gives them back: each with a block_id, each element that acts with an action_id. */
export function withIds(blocks: readonly JsonObject[]): readonly JsonObject[] {
  return blocks.map((block) => {
    const made = withElementIds(block);
    return { ...made, block_id: made["block_id"] ?? randomBytes(3).toString("base64url") };
  });
}
