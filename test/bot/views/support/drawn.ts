import type { HomeView, ModalView } from "@slack/types";
import { drawBlocks } from "../../../../src/playground/draw/blocks.ts";
import { newPen } from "../../../../src/playground/draw/pen.ts";
import { isObject, parseJson } from "../../../../src/playground/json.ts";
import type { Message, Post } from "../../../../src/bot/views/kit/post.ts";
import { refusedButtons } from "../../../support/refused-buttons.ts";
import { newState } from "../../../../src/playground/workspace/seeds.ts";

const pen = newPen(newState("gantry"));

/** A post as the simulated workspace draws it. Each of its buttons has to be one that a click is accepted for. */
export function drawn({ blocks }: Post): string {
  const refused = refusedButtons(blocks);
  if (refused.length > 0) throw new Error(`a click would be refused: ${refused.join(", ")}`);
  const json = parseJson(JSON.stringify(blocks));
  return drawBlocks(pen, Array.isArray(json) ? json.filter(isObject) : [])
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Whom a post notifies. */
export function mentioned(post: Post): string[] {
  const own = newPen(pen.state);
  const json = parseJson(JSON.stringify(post.blocks));
  drawBlocks(own, Array.isArray(json) ? json.filter(isObject) : []);
  return own.mentions;
}

/** A modal as the simulated workspace draws it. */
export function drawnForm({ title, blocks, submit, close }: ModalView): string {
  const buttons = [submit, close].flatMap((each) => (each === undefined ? [] : [`[${each.text}]`]));
  return [`(${title.text})`, drawn({ text: "", blocks: blocks as Post["blocks"] }), buttons.join(" ")].join("\n"); // ours hold known blocks
}

/** A Home tab as the simulated workspace draws it. */
export function drawnHome({ blocks }: HomeView): string {
  return drawn({ text: "", blocks: blocks as Post["blocks"] }); // ours hold known blocks
}

/** A message with its thread and files. */
export function drawnAll(message: Message): string {
  const { replies = [], files = [] } = message.thread ?? {};
  return [
    drawn(message),
    ...replies.map((reply) => `↳ ${drawn(reply)}`),
    ...files.map((file) => `↳ file ${file.name} “${file.title}”, ${file.content.length} characters`),
  ].join("\n");
}
