import { isList, isObject, type Json, type JsonObject, objectsOf, parseJson } from "../json.ts";
import { limits } from "../rules/limits.ts";
import { refuse, Refused } from "../rules/refusal.ts";
import { checkBlocks } from "./blocks.ts";
import { byType, type Check, list, may, must, newSite, object, someString, text, word } from "./shape.ts";
import { source } from "./tasks.ts";

// https://docs.slack.dev/messaging/sending-and-scheduling-messages#text-streaming

const anyBlocks: Check = (value, at, site) => checkBlocks(value, at, site);

const chunk = byType(
  {
    markdown_text: object({ type: must(word("markdown_text")), text: must(text("stream.markdown-text")) }),
    blocks: object({ type: must(word("blocks")), blocks: must(anyBlocks) }),
    plan_update: object({ type: must(word("plan_update")), title: must(someString) }),
    task_update: object({
      type: must(word("task_update")),
      id: must(someString),
      title: must(someString),
      status: must(word("pending", "in_progress", "complete", "error")),
      details: may(someString),
      output: may(someString),
      sources: may(list(source)),
    }),
  },
  "stream.chunk",
);

export function blocksIn(chunks: readonly JsonObject[]): number {
  return chunks.reduce((sum, each) => sum + objectsOf(each["blocks"]).length, 0);
}

/** Reads and checks the chunks of a stream that already has `before` blocks; throws Refused with Slack's code. */
export function checkChunks(input: Json | undefined, before: number): readonly JsonObject[] {
  const value = typeof input === "string" ? parseJson(input) : input;
  if (value === undefined || value === null) return [];
  if (!isList(value) || !value.every(isObject))
    refuse("invalid_chunks", "stream.chunk", "chunks is no list of objects");
  const chunks = objectsOf(value);
  const count = before + blocksIn(chunks);
  if (count > limits["stream.blocks"].max) refuse("msg_blocks_too_many", "stream.blocks", `${count} blocks in chunks`);
  const site = newSite("message");
  for (const [index, each] of chunks.entries()) chunk(each, `/chunks/${index}`, site);
  if (site.problems.length > 0) throw new Refused("invalid_chunks", site.problems);
  return chunks;
}
