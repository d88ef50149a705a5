import { type JsonObject, objectOf, objectsOf, textOf } from "../json.ts";
import type { View } from "../workspace/state.ts";
import { withEnteredValues } from "../workspace/view-state.ts";
import { drawBlocks } from "./blocks.ts";
import type { Pen } from "./pen.ts";

function textIn(holder: JsonObject, part: string): string {
  return textOf(objectOf(holder[part])["text"]);
}

/** "! Instances: Enter a number", or only the error if it is about the whole form. */
function drawError(blocks: readonly JsonObject[], blockId: string, error: string): string {
  const block = blocks.find((each) => each["block_id"] === blockId);
  const label = block === undefined ? "" : textIn(block, "label");
  return label === "" ? `! ${error}` : `! ${label}: ${error}`;
}

/** A modal or a Home tab as plain text: title, blocks with what was entered, errors, buttons. */
export function drawView(pen: Pen, view: View): string {
  const { content, state } = view;
  const blocks = objectsOf(content["blocks"]);
  const errors = Object.entries(view.errors).map(([block, error]) => drawError(blocks, block, error));
  const submit = textIn(content, "submit");
  const close = textIn(content, "close") || (submit === "" ? "Close" : "Cancel");
  const buttons = view.type === "home" ? [] : [submit === "" ? `[${close}]` : `[${submit}] [${close}]`];
  const title = view.type === "home" ? "(home tab)" : `Form: ${textIn(content, "title")}`;
  return [title, drawBlocks(pen, withEnteredValues(blocks, state)), ...errors, ...buttons].join("\n");
}
