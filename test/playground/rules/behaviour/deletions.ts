import { expect } from "vitest";
import { app, type SmallWorld } from "../../support/small-world.ts";

type Another = (changes: { app?: typeof app }) => Promise<SmallWorld>;

/** What is left of deleted messages, and of a channel's old id. */
export function deletionConduct(where: () => SmallWorld, another: Another) {
  return {
    "a deleted message that has replies stays as a tombstone until they are gone": async () => {
      const world = await another({ app: { ...app, events: ["message.im"] } });
      const dana = world.playground.as("dana");
      const at = { channel: "@gantry" };
      const channel = dana.channelId("@gantry");
      const { ts = "" } = await dana.says("hello", at);
      const reply = await world.post({ channel, thread_ts: ts, text: "hello yourself" });
      await dana.deletes(ts, at);
      const event = world.bot.last()["event"];
      const left = dana.sees("@gantry").map(({ text, author }) => `${author}: ${text}`);
      const update = await world.call("chat.update", { channel, ts, text: "x" });
      await world.call("chat.delete", { channel, ts: reply.ts });

      const tombstone = { subtype: "tombstone", user: "USLACKBOT", text: "This message was deleted.", ts };
      expect(event).toMatchObject({
        subtype: "message_changed",
        message: tombstone,
        previous_message: { text: "hello" },
      });
      expect(event).not.toHaveProperty("message.edited");
      expect(left).toEqual(["slackbot: This message was deleted.", "gantry: hello yourself"]);
      expect(update).toMatchObject({ ok: false, error: "cant_update_message" });
      expect(dana.sees("@gantry")).toEqual([]);
    },
    "a reply to a message that was deleted is posted in the channel instead, without an error": async () => {
      const { playground, call } = where();
      const dana = playground.as("dana");
      const { ts = "" } = await dana.says("hello");
      const answer = { channel: "C0OPS", thread_ts: ts, text: "hello yourself" };
      const before = await call("chat.postMessage", answer);
      await call("chat.delete", { channel: "C0OPS", ts: before["ts"] });
      await dana.deletes(ts);
      const after = await call("chat.postMessage", answer);
      const never = await call("chat.postMessage", { ...answer, thread_ts: "1000000000.000001" });
      const none = await call("chat.postMessage", { ...answer, thread_ts: "1.000001" });

      expect(before["message"]).toMatchObject({ thread_ts: ts });
      expect(after).toMatchObject({ ok: true });
      expect(after["message"]).not.toHaveProperty("thread_ts");
      expect(never).toMatchObject({ ok: false, error: "thread_not_found" });
      expect(none).toMatchObject({ ok: false, error: "invalid_thread_ts" });
      expect(dana.sees().map(({ threadTs }) => threadTs)).toEqual([undefined]);
    },
    "a private channel that is shared with another organization gets a new id": async () => {
      const world = await another({ app: { ...app, events: ["channel_id_changed"] } });
      const { playground, bot, call } = world;
      const dana = playground.as("dana");
      playground.people.invite("incidents", "gantry");
      const { ts = "" } = await world.post({ channel: "C0INCIDENTS", text: "x" });
      playground.people.addOutsider({ name: "robin", realName: "Robin Vale", channel: "ops" });
      expect([dana.channelId("ops"), bot.received.length]).toEqual(["C0OPS", 0]);
      playground.people.invite("incidents", "robin");
      const id = dana.channelId("incidents");
      await expect.poll(() => bot.received.length).toBe(1);
      playground.people.addOutsider({ name: "kit", realName: "Kit Vale", channel: "incidents" });

      expect(id).not.toBe("C0INCIDENTS");
      expect(dana.channelId("incidents")).toBe(id);
      expect(bot.last()["event"]).toMatchObject({
        type: "channel_id_changed",
        old_channel_id: "C0INCIDENTS",
        new_channel_id: id,
      });
      expect(await call("chat.update", { channel: "C0INCIDENTS", ts, text: "y" })).toMatchObject({
        error: "channel_not_found",
      });
      expect(await call("chat.update", { channel: id, ts, text: "y" })).toMatchObject({ ok: true });
      expect(dana.sees("incidents").map(({ text }) => text)).toEqual(["y"]);
    },
  };
}
