import { type JsonObject, objectOf, objectsOf, textOf } from "../json.ts";
import { elementsOf } from "../workspace/view-state.ts";

/** An element in its block, and the chosen option. */
export type Found = { readonly block: JsonObject; readonly element: JsonObject; readonly option?: JsonObject };

function plainText(holder: JsonObject, name = "text"): string {
  return textOf(objectOf(holder[name])["text"]);
}

/** The button, or the option of an overflow menu, with this text or action_id. */
export function findClickable(blocks: readonly JsonObject[], label: string): Found | undefined {
  for (const block of blocks) {
    for (const element of elementsOf(block)) {
      const isNamed = plainText(element) === label || element["action_id"] === label;
      if (element["type"] === "button" && isNamed) return { block, element };
      if (element["type"] !== "overflow") continue;
      const option = objectsOf(element["options"]).find((each) => plainText(each) === label || each["value"] === label);
      if (option !== undefined) return { block, element, option };
    }
  }
  return undefined;
}

/** The menu or field with this action_id, block_id, label or placeholder, in capitals or not. */
export function findField(blocks: readonly JsonObject[], name: string): Found | undefined {
  const wanted = name.toLowerCase();
  for (const block of blocks) {
    for (const element of elementsOf(block)) {
      if (element["type"] === "button") continue;
      const names = [
        element["action_id"],
        block["block_id"],
        plainText(block, "label"),
        plainText(element, "placeholder"),
      ];
      if (names.some((each) => typeof each === "string" && each.toLowerCase() === wanted)) return { block, element };
    }
  }
  return undefined;
}

/** The labels of everything clickable, for error messages. */
export function clickables(blocks: readonly JsonObject[]): readonly string[] {
  return blocks.flatMap((block) =>
    elementsOf(block).flatMap((element) => {
      if (element["type"] === "button") return [plainText(element)];
      return element["type"] === "overflow" ? objectsOf(element["options"]).map((option) => plainText(option)) : [];
    }),
  );
}

/** The options of an element, or of an answer to block_suggestion, which may group them. */
export function optionsOf(offering: JsonObject): readonly JsonObject[] {
  const grouped = objectsOf(offering["option_groups"]).flatMap((group) => objectsOf(group["options"]));
  return [...objectsOf(offering["options"]), ...grouped];
}

export function optionNamed(options: readonly JsonObject[], name: string): JsonObject | undefined {
  return options.find((option) => plainText(option) === name || option["value"] === name);
}
