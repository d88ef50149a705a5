import { objectOf, objectsOf, textOf } from "../json.ts";
import type { View } from "../workspace/state.ts";
import { drawBlocks } from "./blocks.ts";
import type { Pen } from "./pen.ts";

/** A modal or a Home tab as plain text: title, blocks, errors, buttons. */
export function drawView(pen: Pen, view: View): string {
  const { content } = view;
  const name = (part: string): string => textOf(objectOf(content[part])["text"]);
  const errors = Object.entries(view.errors).map(([block, error]) => `! ${block}: ${error}`);
  const submit = name("submit") === "" ? [] : [`[${name("submit")}]`];
  const buttons = view.type === "home" ? [] : [[...submit, `[${name("close") || "Cancel"}]`].join(" ")];
  const title = view.type === "home" ? "(home tab)" : `(modal) ${name("title")}`;
  return [title, drawBlocks(pen, objectsOf(content["blocks"])), ...errors, ...buttons].join("\n");
}
