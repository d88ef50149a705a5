import { isList, isObject, type Json, type JsonObject } from "../../json.ts";

function withActionId(element: Json, id: string): Json {
  return isObject(element) ? { action_id: id, ...element } : element;
}

/** Blocks with sequential ids, so that screenshots of the page are stable. */
export function withIds(blocks: readonly JsonObject[], sample: string): readonly JsonObject[] {
  return blocks.map((block, at) => {
    const id = `${sample}-${at}`;
    const { elements, accessory, element } = block;
    return {
      block_id: id,
      ...block,
      ...(isList(elements) && block["type"] === "actions"
        ? { elements: elements.map((each, index) => withActionId(each, `${id}-${index}`)) }
        : {}),
      ...(accessory === undefined ? {} : { accessory: withActionId(accessory, id) }),
      ...(element === undefined ? {} : { element: withActionId(element, id) }),
    };
  });
}
