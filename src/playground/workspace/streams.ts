import { blocksIn } from "../check/message.ts";
import { withIds } from "./ids.ts";
import { type JsonObject, objectsOf, textOf } from "../json.ts";
import { times } from "../rules/limits.ts";
import { refuse } from "../rules/refusal.ts";
import type { Message, Stream } from "./state.ts";
import { touch, type World } from "../world.ts";

function key(message: Message): string {
  return `${message.channel} ${message.ts}`;
}

export function beginStream(world: World, message: Message): Stream {
  const stream: Stream = { startedMs: world.clock.nowMs(), blocks: 0, isStopped: false };
  world.state.streams.set(key(message), stream);
  return stream;
}

function isOver(world: World, stream: Stream): boolean {
  return stream.isStopped || world.clock.nowMs() - stream.startedMs > times.stream.ms;
}

/** Until when a message that is being streamed can be appended to; undefined for others. */
export function streamsUntil({ state }: Pick<World, "state">, message: Message): number | undefined {
  const stream = state.streams.get(key(message));
  return stream === undefined || stream.isStopped ? undefined : stream.startedMs + times.stream.ms;
}

/** Whether the message is still being streamed, so that chat.update has to wait. */
export function isStreaming(world: World, message: Message): boolean {
  const stream = world.state.streams.get(key(message));
  return stream !== undefined && !isOver(world, stream);
}

/** The open stream of a message; throws Refused if there is none or it has ended. */
export function openStream(world: World, message: Message): Stream {
  const error = "message_not_in_streaming_state";
  const stream = world.state.streams.get(key(message));
  if (stream === undefined || stream.isStopped) refuse(error, "stream.open", `message ${message.ts} is not streamed`);
  const ageMs = world.clock.nowMs() - stream.startedMs;
  if (isOver(world, stream)) refuse(error, "stream.fresh", `it was started ${Math.round(ageMs / 1000)} s ago`);
  return stream;
}

function richText(text: string): JsonObject {
  const section = { type: "rich_text_section", elements: [{ type: "text", text }] };
  return { type: "rich_text", elements: [section] };
}

function taskCard(chunk: JsonObject): JsonObject {
  const { id = "", title = "", status = "pending", details, output, sources } = chunk;
  return {
    type: "task_card",
    block_id: `task-${textOf(id)}`,
    task_id: id,
    title,
    status,
    ...(details === undefined ? {} : { details: richText(textOf(details)) }),
    ...(output === undefined ? {} : { output: richText(textOf(output)) }),
    ...(sources === undefined ? {} : { sources }),
  };
}

/** The blocks with this one in place of the block with the same id, or appended. */
function withBlock(blocks: readonly JsonObject[], block: JsonObject): readonly JsonObject[] {
  const isSame = (each: JsonObject): boolean => each["block_id"] === block["block_id"];
  return blocks.some(isSame) ? blocks.map((each) => (isSame(each) ? block : each)) : [...blocks, block];
}

function withChunk(blocks: readonly JsonObject[], chunk: JsonObject): readonly JsonObject[] {
  if (chunk["type"] === "markdown_text") {
    const text = textOf(chunk["text"]);
    const last = blocks.at(-1);
    if (last?.["type"] !== "markdown") return [...blocks, ...withIds([{ type: "markdown", text }])];
    return [...blocks.slice(0, -1), { ...last, text: `${textOf(last["text"])}${text}` }];
  }
  if (chunk["type"] === "task_update") return withBlock(blocks, taskCard(chunk));
  if (chunk["type"] === "plan_update") {
    return withBlock(blocks, { type: "plan", block_id: "plan", title: chunk["title"] ?? "" });
  }
  return [...blocks, ...withIds(objectsOf(chunk["blocks"]))];
}

/** Appends chunks to a streamed message. */
export function appendChunks(world: World, message: Message, chunks: readonly JsonObject[]): void {
  const stream = openStream(world, message);
  for (const chunk of chunks) {
    message.blocks = withChunk(message.blocks, chunk);
    if (chunk["type"] === "markdown_text") message.text += textOf(chunk["text"]);
  }
  stream.blocks += blocksIn(chunks);
  touch(world, message);
}
