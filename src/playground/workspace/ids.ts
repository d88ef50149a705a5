import { randomBytes } from "node:crypto";
import { isList, isObject, type Json, type JsonObject, textOf } from "../json.ts";

export function newId(prefix: string): string {
  return prefix + randomBytes(6).toString("hex").toUpperCase();
}

function withActionId(element: Json): Json {
  if (!isObject(element)) return element;
  return { ...element, action_id: element["action_id"] ?? randomBytes(3).toString("base64url") };
}

/** The property with the interactive elements, by block type. */
const elementFields: Readonly<Record<string, string>> = {
  actions: "elements",
  section: "accessory",
  input: "element",
};

function withElementIds(block: JsonObject): JsonObject {
  const field = elementFields[textOf(block["type"])];
  const elements = field === undefined ? undefined : block[field];
  if (field === undefined || elements === undefined) return block;
  return { ...block, [field]: isList(elements) ? elements.map(withActionId) : withActionId(elements) };
}

/** Blocks as Slack returns them: each with a block_id, each interactive element with an action_id. */
export function withIds(blocks: readonly JsonObject[]): readonly JsonObject[] {
  return blocks.map((block) => {
    const made = withElementIds(block);
    return { ...made, block_id: made["block_id"] ?? randomBytes(3).toString("base64url") };
  });
}
