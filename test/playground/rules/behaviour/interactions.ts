import { expect } from "vitest";
import { input, modal, option, plain, trigger } from "../../support/samples.ts";
import type { SmallWorld } from "../../support/small-world.ts";

/** Shortcuts, and elements that send something to the bot. */
export function interactionConduct(where: () => SmallWorld) {
  const dana = () => where().playground.as("dana");
  const open = async (...blocks: object[]): Promise<void> => {
    const view = modal({ submit: plain(), blocks });
    await where().call("views.open", { trigger_id: await trigger(where()), view });
  };
  const interactions = (): readonly unknown[] =>
    where()
      .bot.received.map(({ payload }) => payload["type"])
      .filter((type) => type !== undefined);

  return {
    "a message shortcut carries the message, the channel, a response_url and a trigger_id": async () => {
      const { ts = "" } = await dana().says("web is down");
      const { ts: reply = "" } = await dana().says("again", { thread: ts });
      await dana().uses("restart", { ts: reply });
      const payload = where().bot.last();
      await fetch(String(payload["response_url"]), { method: "POST", body: JSON.stringify({ text: "restarted" }) });

      expect(payload).toMatchObject({
        type: "message_action",
        callback_id: "restart",
        message_ts: reply,
        message: { text: "again", user: "U0DANA", thread_ts: ts },
        channel: { id: "C0OPS", name: "ops" },
        trigger_id: expect.any(String),
      });
      expect(dana().sees().at(-1)).toMatchObject({ text: "restarted", isEphemeral: true });
      await expect(dana().uses("create", { ts })).rejects.toThrow('Gantry has no message shortcut "create".');
    },
    "a global shortcut carries no channel and no response_url": async () => {
      await dana().uses("create");
      const payload = where().bot.last();
      const opened = await where().call("views.open", { trigger_id: payload["trigger_id"], view: modal() });

      expect(payload).toMatchObject({ type: "shortcut", callback_id: "create", user: { id: "U0DANA" } });
      expect(Object.keys(payload)).not.toEqual(expect.arrayContaining(["channel"]));
      expect(Object.keys(payload)).not.toEqual(expect.arrayContaining(["response_url"]));
      expect(opened["ok"]).toBe(true);
      await expect(dana().uses("restart")).rejects.toThrow('Gantry has no global shortcut "restart".');
    },
    "an element in an input block sends block_actions only with dispatch_action": async () => {
      const field = { type: "plain_text_input", action_id: "name" };
      await open({ ...input(field), block_id: "quiet" }, { ...input(field), block_id: "loud", dispatch_action: true });
      await dana().selects("quiet", "web");
      const afterQuiet = interactions();
      await dana().selects("loud", "web");

      expect(afterQuiet).toEqual([]);
      expect(where().bot.last()).toMatchObject({
        type: "block_actions",
        actions: [{ block_id: "loud", value: "web" }],
      });
    },
    "an external select asks from 3 characters on, or from min_query_length": async () => {
      await open(
        input({ type: "external_select", action_id: "three" }),
        input({ type: "external_select", action_id: "none", min_query_length: 0 }),
      );
      where().bot.answer = () => ({ json: { options: [option()] } });
      const short = await dana().searches("three", "we");
      const afterShort = interactions();
      const long = await dana().searches("three", "web");
      const empty = await dana().searches("none", "");

      expect([short.length, long.length, empty.length]).toEqual([0, 1, 1]);
      expect(afterShort).toEqual([]);
      expect(interactions()).toEqual(["block_suggestion", "block_suggestion"]);
    },
  };
}
