import type { Row, Steps } from "./steps.ts";
import { section } from "../../support/samples.ts";

/** For each rule about messages: a step that keeps it and one that breaks it. */
export function messageRows(steps: Steps) {
  const { world, poor, message, posted, dana, ephemeral, update, reply, respond, respondToClick, click } = steps;
  async function respondAfter(ms: number): Promise<unknown> {
    await dana().says("/gantry list");
    const url = String(world.bot.last()["response_url"]);
    world.pass(ms);
    return respond({}, url);
  }
  return {
    "message.text-needed": {
      error: "no_text",
      kept: () => message({ text: "x", blocks: [section()] }),
      broken: () => message({ text: "", blocks: [section()] }),
    },
    "message.format": {
      error: "invalid_blocks_format",
      kept: () => message({ blocks: JSON.stringify([section()]) }),
      broken: () => message({ blocks: "[{" }),
    },
    "message.known": { error: "message_not_found", kept: () => update({}), broken: () => update({ ts: "1.000000" }) },
    "message.own": {
      error: "cant_update_message",
      kept: () => update({}),
      broken: async () => update({ ts: (await dana().says("hello")).ts }),
    },
    "message.ephemeral": {
      error: "message_not_found",
      kept: () => update({}),
      broken: async () => update({ ts: await ephemeral() }),
    },
    "thread.parent": {
      error: "cannot_reply_to_message",
      kept: async () => message({ thread_ts: await posted() }),
      broken: async () => message({ thread_ts: await reply() }),
    },
    "ephemeral.thread": {
      error: "cannot_reply_to_message",
      kept: async () => {
        const ts = await posted();
        await message({ thread_ts: ts });
        return world.call("chat.postEphemeral", { channel: "C0OPS", user: "U0DANA", text: "x", thread_ts: ts });
      },
      broken: async () => {
        const thread_ts = await posted();
        return world.call("chat.postEphemeral", { channel: "C0OPS", user: "U0DANA", text: "x", thread_ts });
      },
    },
    "channel.known": {
      error: "channel_not_found",
      kept: () => message({ channel: "#ops" }),
      broken: () => message({ channel: "#incidents" }),
    },
    "channel.member": {
      error: "not_in_channel",
      kept: () => message({ channel: "C0OPS" }),
      broken: () => message({ channel: "C0GENERAL" }),
    },
    "channel.archived": {
      error: "is_inactive",
      kept: async () => {
        const ts = await posted();
        return world.call("chat.update", { channel: "C0OPS", ts, text: "y" });
      },
      broken: async () => {
        const ts = await posted();
        world.playground.people.archive("ops");
        await world.call("chat.update", { channel: "C0OPS", ts, text: "y" });
        world.playground.people.unarchive("ops");
      },
    },
    "user.known": {
      error: "user_not_found",
      kept: () => world.call("users.info", { user: "U0DANA" }),
      broken: () => world.call("users.info", { user: "U404" }),
    },
    "user.in-channel": {
      error: "user_not_in_channel",
      kept: () => world.call("chat.postEphemeral", { channel: "C0OPS", user: "U0GWEN", text: "x" }),
      broken: () => world.call("chat.postEphemeral", { channel: "C0OPS", user: "U404", text: "x" }),
    },
    "response-url.known": {
      error: "invalid_url",
      kept: () => respond({}),
      broken: () => respond({}, `${world.url}/response/R404`),
    },
    "response-url.fresh": {
      error: "expired_url",
      kept: () => respondAfter(30 * 60_000),
      broken: () => respondAfter(30 * 60_000 + 1),
    },
    "response-url.public": {
      error: "invalid_response_type",
      kept: () => respondToClick({ replace_original: false, response_type: "in_channel" }),
      broken: () => respondToClick({ replace_original: true, response_type: "in_channel" }),
    },
    "response-url.thread": {
      error: "invalid_arguments",
      kept: async () => {
        const thread_ts = await posted();
        return respond({ response_type: "in_channel", replace_original: false, thread_ts });
      },
      broken: async () => respond({ response_type: "ephemeral", replace_original: false, thread_ts: await posted() }),
    },
    "ack.in-time": {
      error: "operation_timeout",
      kept: () => poor.playground.as("dana").says("/gantry list"),
      broken: async () => {
        poor.bot.answer = () => "never";
        await poor.passAckLimit(poor.playground.as("dana").says("/gantry list"));
        poor.bot.answer = () => undefined;
      },
    },
    "ack.body": {
      error: "unexpected_body",
      kept: () => click(undefined),
      broken: () => click({ text: "nobody reads this" }),
    },
  } satisfies Record<string, Row>;
}
