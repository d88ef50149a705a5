import type { Row, Steps } from "./steps.ts";
import type { Answer, SmallWorld } from "../../support/small-world.ts";
import { long, many } from "../../support/samples.ts";

const recipient = { recipient_user_id: "U0DANA", recipient_team_id: "T0PLAYGR" };

/** The ts of a streamed message in #ops, below a message of dana. */
export async function startStream(world: SmallWorld, more: object = {}): Promise<Answer> {
  const { ts } = await world.playground.as("dana").says("why is web down?");
  return world.call("chat.startStream", { channel: "C0OPS", thread_ts: ts, ...recipient, ...more });
}

/** For each rule about streams: a step that keeps it and one that breaks it. */
export function streamRows(steps: Steps) {
  const { world, update, posted } = steps;
  const append = async (more: object): Promise<Answer> => {
    const { ts } = await startStream(world);
    return world.call("chat.appendStream", { channel: "C0OPS", ts, ...more });
  };
  return {
    "stream.reply": {
      error: "invalid_arguments",
      kept: () => startStream(world),
      broken: () => world.call("chat.startStream", { channel: "C0OPS", ...recipient }),
    },
    "stream.recipient": {
      error: "missing_recipient_team_id",
      kept: () => startStream(world),
      broken: () => startStream(world, { recipient_team_id: "" }),
    },
    "stream.content": {
      error: "no_text",
      kept: () => append({ markdown_text: "x" }),
      broken: () => append({ chunks: [] }),
    },
    "stream.one-content": {
      error: "invalid_arguments",
      kept: () => append({ markdown_text: "x" }),
      broken: () => append({ markdown_text: "x", chunks: [{ type: "markdown_text", text: "y" }] }),
    },
    "stream.allowed": {
      error: "channel_type_not_supported",
      kept: () => startStream(world),
      async broken() {
        world.playground.faults.refusesStreams = true;
        await startStream(world);
        world.playground.faults.clear();
      },
    },
    "stream.chunk": {
      error: "invalid_chunks",
      kept: () => append({ chunks: [{ type: "task_update", id: "1", title: "x", status: "complete" }] }),
      broken: () => append({ chunks: [{ type: "task_updated", id: "1" }] }),
    },
    "stream.open": {
      error: "message_not_in_streaming_state",
      kept: () => append({ markdown_text: "x" }),
      broken: async () => {
        const { ts } = await startStream(world);
        await world.call("chat.stopStream", { channel: "C0OPS", ts });
        return world.call("chat.appendStream", { channel: "C0OPS", ts, markdown_text: "x" });
      },
    },
    "stream.fresh": {
      error: "message_not_in_streaming_state",
      kept: async () => {
        const { ts } = await startStream(world);
        world.pass(5 * 60_000);
        return world.call("chat.appendStream", { channel: "C0OPS", ts, markdown_text: "x" });
      },
      broken: async () => {
        const { ts } = await startStream(world);
        world.pass(4 * 60_000);
        await world.call("chat.appendStream", { channel: "C0OPS", ts, markdown_text: "x" });
        world.pass(60_000 + 1);
        return world.call("chat.appendStream", { channel: "C0OPS", ts, markdown_text: "x" });
      },
    },
    "stream.finished": {
      error: "streaming_state_conflict",
      kept: async () => {
        const { ts } = await startStream(world);
        await world.call("chat.stopStream", { channel: "C0OPS", ts });
        return update({ ts });
      },
      broken: async () => update({ ts: (await startStream(world))["ts"] }),
    },
    "ephemeral.thread": {
      error: "cannot_reply_to_message",
      kept: async () => {
        const ts = await posted();
        await world.call("chat.postMessage", { channel: "C0OPS", text: "x", thread_ts: ts });
        return world.call("chat.postEphemeral", { channel: "C0OPS", user: "U0DANA", text: "x", thread_ts: ts });
      },
      broken: async () =>
        world.call("chat.postEphemeral", {
          channel: "C0OPS",
          user: "U0DANA",
          text: "x",
          thread_ts: await posted(),
        }),
    },
  } satisfies Record<string, Row>;
}

const dividers = (count: number): object[] => many(count, () => ({ type: "divider" }));

/** For each limit of streams: a request with n of it. */
export function streamLimits(where: () => SmallWorld) {
  const call = (method: string, args: object): Promise<Answer> => where().call(method, { channel: "C0OPS", ...args });
  return {
    "stream.markdown-text": async (n: number) => {
      const { ts } = await startStream(where());
      await call("chat.appendStream", { ts, markdown_text: long(12_000) });
      return call("chat.appendStream", { ts, markdown_text: long(n) });
    },
    "stream.blocks": async (n: number) => {
      const { ts } = await startStream(where(), { chunks: [{ type: "blocks", blocks: dividers(10) }] });
      return call("chat.appendStream", { ts, chunks: [{ type: "blocks", blocks: dividers(n - 10) }] });
    },
    "stream.end-blocks": async (n: number) => {
      const { ts } = await startStream(where(), { chunks: [{ type: "blocks", blocks: dividers(50) }] });
      return call("chat.stopStream", { ts, blocks: dividers(n) });
    },
  };
}
