import { isList, isObject, type Json, type JsonObject, objectsOf, parseJson, textOf } from "../json.ts";
import { type LimitId, limits } from "../rules/limits.ts";
import { refuse, Refused } from "../rules/refusal.ts";
import { checkBlocks } from "./blocks.ts";
import { newSite } from "./shape.ts";

/** A message's checked content. Undefined blocks were not sent. */
export type Content = { readonly text: string; readonly blocks: readonly JsonObject[] | undefined };

type ContentRules = {
  readonly textLimit: LimitId;
  /** chat.* methods limit the total size of the blocks; response_url does not. */
  readonly summed: boolean;
};

/** Forms carry blocks as JSON text, JSON bodies as lists. */
function listOf(value: Json | undefined): readonly JsonObject[] | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const parsed = typeof value === "string" ? parseJson(value) : value;
  if (!isList(parsed) || !parsed.every(isObject)) {
    refuse("invalid_blocks_format", "message.format", "must be a JSON array of objects");
  }
  return objectsOf(parsed);
}

/** Reads and checks text and blocks of a message; throws Refused with Slack's code. */
export function checkContent(args: JsonObject, { textLimit, summed }: ContentRules): Content {
  const text = textOf(args["text"]);
  if (text.length > limits[textLimit].max) refuse("msg_too_long", textLimit, `${text.length} characters`);
  if (text === "") refuse("no_text", "message.text-needed", "no top-level text");
  const blocks = listOf(args["blocks"]);
  if (blocks === undefined) return { text, blocks };
  const site = newSite("message");
  checkBlocks(blocks, "/blocks", site);
  if (site.problems.length > 0) throw new Refused("invalid_blocks", site.problems);
  const size = JSON.stringify(blocks).length;
  if (summed && size > limits["message.blocks-size"].max) {
    refuse("msg_blocks_too_long", "message.blocks-size", `${size} characters of JSON in the blocks`);
  }
  return { text, blocks };
}
