import { isList, isObject, type Json, type JsonObject, objectsOf, parseJson, textOf } from "../json.ts";
import { type LimitId, limits } from "../rules/limits.ts";
import { refuse, Refused } from "../rules/refusal.ts";
import { checkBlocks } from "./blocks.ts";
import { byType, type Check, list, may, must, newSite, object, someString, text, word } from "./shape.ts";
import { source } from "./cards.ts";

/** A message's checked content. Undefined parts were not sent. */
export type Content = {
  readonly text: string;
  readonly blocks: readonly JsonObject[] | undefined;
  readonly attachments: readonly JsonObject[] | undefined;
  readonly parsesNames: boolean;
  readonly mrkdwn: boolean;
};

type ContentRules = {
  readonly textLimit: LimitId;
  /** chat.* methods limit the total size of the blocks; response_url does not. */
  readonly summed: boolean;
  readonly needsText: boolean;
};

/** Forms carry blocks and attachments as JSON text, JSON bodies as lists. */
function listOf(value: Json | undefined, error: string): readonly JsonObject[] | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const parsed = typeof value === "string" ? parseJson(value) : value;
  if (!isList(parsed) || !parsed.every(isObject)) refuse(error, "message.format", "must be a JSON array of objects");
  return objectsOf(parsed);
}

function checkText(args: JsonObject, rules: ContentRules): string {
  const [text, markdown] = [textOf(args["text"]), textOf(args["markdown_text"])];
  if (markdown !== "") {
    if (text !== "" || args["blocks"] !== undefined) {
      refuse("markdown_text_conflict", "message.markdown-alone", "markdown_text with text or blocks");
    }
    checkLength(markdown, "message.markdown-text");
  }
  checkLength(text, rules.textLimit);
  if (rules.needsText && text === "" && markdown === "") refuse("no_text", "message.text-needed", "no top-level text");
  return text === "" ? markdown : text;
}

function checkLength(text: string, limit: LimitId): void {
  if (text.length > limits[limit].max) refuse("msg_too_long", limit, `${text.length} characters`);
}

/** Table cells have a limit of their own, and a higher one. */
const hasOwnLimit = new Set(["table", "data_table"]);

/** Reads and checks text, blocks and attachments of a message; throws Refused with Slack's code. */
export function checkContent(args: JsonObject, rules: ContentRules): Content {
  const text = checkText(args, rules);
  const blocks = listOf(args["blocks"], "invalid_blocks_format");
  const attachments = listOf(args["attachments"], "invalid_attachments");
  const site = newSite("message");
  if (blocks !== undefined) checkBlocks(blocks, "/blocks", site);
  for (const [index, each] of (attachments ?? []).entries()) {
    if (each["blocks"] !== undefined) checkBlocks(each["blocks"], `/attachments/${index}/blocks`, site);
  }
  if (site.problems.length > 0) throw new Refused("invalid_blocks", site.problems);
  if (blocks !== undefined && rules.summed) {
    const size = JSON.stringify(blocks.filter((block) => !hasOwnLimit.has(textOf(block["type"])))).length;
    if (size > limits["message.blocks-size"].max) {
      refuse("msg_blocks_too_long", "message.blocks-size", `${size} characters of JSON in the blocks`);
    }
  }
  const count = attachments?.length ?? 0;
  if (count > limits["message.attachments"].max) {
    refuse("too_many_attachments", "message.attachments", `${count} attachments`);
  }
  const parsesNames = args["parse"] === "full" || args["link_names"] === true;
  return { text, blocks, attachments, parsesNames, mrkdwn: args["mrkdwn"] !== false };
}

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
