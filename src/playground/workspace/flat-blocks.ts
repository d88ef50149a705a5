import { type JsonObject, objectsOf } from "../json.ts";

/** The blocks, with those that stand in others by themselves: a container's children, a carousel's cards. */
export function flatBlocks(blocks: readonly JsonObject[]): readonly JsonObject[] {
  return blocks.flatMap((block) => {
    if (block["type"] === "carousel") return objectsOf(block["elements"]);
    return block["type"] === "container" ? objectsOf(block["child_blocks"]) : [block];
  });
}
