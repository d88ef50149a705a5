import { all, type Check, may, must, object, type Property, report, text, word } from "./shape.ts";

const blockId: Check = all(text("block.id"), (value, at, site) => {
  if (typeof value !== "string") return;
  if (site.blockIds.has(value)) report(site, "block.id-unique", [at, `duplicate block_id: ${value}`]);
  site.blockIds.add(value);
});

/** A block of this type: its own properties and a unique block_id. */
export function block(type: string, properties: Readonly<Record<string, Property>>): Check {
  return object({ type: must(word(type)), block_id: may(blockId), ...properties });
}
