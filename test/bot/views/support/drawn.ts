import type { HomeView, ModalView } from "@slack/types";
import { drawBlocks, newPen } from "../../../../src/playground/draw/draw.ts";
import { actionFor } from "../../../../src/bot/views/kit/action-id.ts";
import type { Block } from "../../../../src/bot/views/kit/blocks.ts";
import { blocksFor, type Message, type Post } from "../../../../src/bot/views/kit/post.ts";
import { blocksOf, buttonFaults } from "../../../support/button-rule.ts";
import { refusedButtons } from "../../../support/refused-buttons.ts";
import { newState } from "../../../../src/playground/workspace/seeds.ts";

const pen = newPen(newState("gantry"));

/**
 * A post as the simulated workspace draws it. Each of its buttons has to be one that a click is accepted for, and each that
 * acts on workloads has to say for which account.
 */
export function drawn({ blocks }: Post): string {
  const ofNobody = elementsOfNobody(blocks);
  if (ofNobody.length > 0) throw new Error(`it acts for whoever uses it: ${ofNobody.join(", ")}`);
  return drawnBlocks(blocks);
}

/** The ids of elements, wherever they stand, that act on workloads and don't say for which account once a message was shown. */
function elementsOfNobody(blocks: readonly Block[]): readonly string[] {
  const ids = JSON.stringify(blocksFor("dana-own", blocks)).matchAll(/"action_id":("(?:[^"\\]|\\.)*")/gu);
  return [...ids].flatMap(([, text = '""']) => {
    const id = String(JSON.parse(text));
    return actionFor(id, "dana-own") === id ? [] : [id];
  });
}

function drawnBlocks(blocks: readonly Block[]): string {
  const refused = refusedButtons(blocks);
  if (refused.length > 0) throw new Error(`a click would be refused: ${refused.join(", ")}`);
  const faults = buttonFaults(blocksOf(blocks));
  if (faults.length > 0) throw new Error(`its buttons: ${faults.join("; ")}`);
  return drawBlocks(pen, blocksOf(blocks))
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** Whom a post notifies. */
export function mentioned(post: Post): string[] {
  const own = newPen(pen.state);
  drawBlocks(own, blocksOf(post.blocks));
  return own.mentions;
}

/** A modal as the simulated workspace draws it. */
export function drawnForm({ title, blocks, submit, close }: ModalView): string {
  const buttons = [submit, close].flatMap((each) => (each === undefined ? [] : [`[${each.text}]`]));
  return [`(${title.text})`, drawnBlocks(blocks as Post["blocks"]), buttons.join(" ")].join("\n"); // ours hold known blocks
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
