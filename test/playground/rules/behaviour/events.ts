import { expect } from "vitest";
import { app, type SmallWorld } from "../../support/small-world.ts";

type Another = (changes: { app?: typeof app; ackMs?: number }) => Promise<SmallWorld>;

/** The headers of all requests to the bot, including retries. */
function retriesOf(world: SmallWorld): readonly unknown[] {
  return world.bot.received.map(({ headers }) => [headers["x-slack-retry-num"], headers["x-slack-retry-reason"]]);
}

/** Lets time pass: the bot is sent this many requests in all, and each of them ends. */
async function passAndSettle(world: SmallWorld, ms: number, requests: number): Promise<void> {
  world.pass(ms);
  const sent = () => world.playground.transcript().filter(({ direction }) => direction === "to bot");
  expect(sent()).toHaveLength(requests);
  await expect.poll(() => sent().every((each) => each.ms !== undefined)).toBe(true);
}

/** Which events are delivered, and how. */
export function eventConduct(where: () => SmallWorld, another: Another) {
  const says = (text: string, at: object = {}) => where().playground.as("dana").says(text, at);
  const kinds = (world: SmallWorld): readonly string[] =>
    world.bot.received.map(({ payload }) => (payload["event"] as { type: string }).type); // each request is an event

  return {
    "an event that fails comes again at once, after a minute and after five, with its number and reason": async () => {
      const world = where();
      world.bot.answer = () => ({ status: 500 });
      await says("hello @gantry");
      await passAndSettle(world, 0, 2);
      await passAndSettle(world, 59_999, 2);
      await passAndSettle(world, 1, 3);
      await passAndSettle(world, 299_999, 3);
      await passAndSettle(world, 1, 4);
      await passAndSettle(world, 24 * 3_600_000, 4);

      const ids = world.bot.received.map(({ payload }) => payload["event_id"]);
      expect(new Set(ids).size).toBe(1);
      expect(retriesOf(world)).toEqual([
        [undefined, undefined],
        ["1", "http_error"],
        ["2", "http_error"],
        ["3", "http_error"],
      ]);
    },
    "x-slack-no-retry: 1 ends the retries of an event": async () => {
      const world = where();
      world.bot.answer = () => ({ status: 500, headers: { "x-slack-no-retry": "1" } });
      await says("hello @gantry");
      await passAndSettle(world, 24 * 3_600_000, 1);

      world.bot.answer = () => ({ status: 500, headers: { "x-slack-no-retry": "0" } });
      await says("hello @gantry");
      await passAndSettle(world, 0, 3);
    },
    "a bot with too many events gets app_rate_limited, once a minute": async () => {
      const world = where();
      const notices = (): readonly unknown[] =>
        world.bot.received
          .filter(({ payload }) => payload["type"] === "app_rate_limited")
          .map(({ payload }) => payload);
      world.playground.events.note(world.now(), true, 30_000);
      await says("hello @gantry");
      await says("hello @gantry");
      expect(notices()).toEqual([
        expect.objectContaining({ team_id: "T0PLAYGR", minute_rate_limited: Math.floor(world.now() / 60_000) * 60 }),
      ]);

      world.pass(60_000);
      await says("hello @gantry");
      expect(notices()).toHaveLength(2);

      world.pass(3_600_000);
      await says("hello @gantry");
      expect(world.bot.last()).toMatchObject({ type: "event_callback" });
    },
    "a mention comes as app_mention, and as a message too if the bot subscribed to both": async () => {
      const both = await another({ app: { ...app, events: ["app_mention", "message.channels"] } });
      const dana = both.playground.as("dana");
      const { ts } = await dana.says("hello @gantry");
      await dana.says("and you?");
      await dana.says("@gantry?", ts === undefined ? {} : { thread: ts });

      expect(kinds(both).toSorted()).toEqual(["app_mention", "app_mention", "message", "message", "message"]);
      expect(both.bot.last()["event"]).toMatchObject({ thread_ts: ts });
    },
    "an edited mention comes again as app_mention: a new event_id, the same ts, and edited": async () => {
      const world = where();
      const dana = world.playground.as("dana");
      const { ts = "" } = await dana.says("@gantry hello");
      const first = world.bot.last();
      await dana.says("a reply", { thread: ts });
      await dana.edits(ts, "@gantry good bye");
      const edited = world.bot.last();
      await dana.edits(ts, "good bye");

      expect(kinds(world)).toEqual(["app_mention", "app_mention"]);
      expect(edited["event_id"]).not.toBe(first["event_id"]);
      expect(first["event"]).not.toHaveProperty("edited");
      expect(edited["event"]).toMatchObject({
        type: "app_mention",
        ts,
        thread_ts: ts,
        user: "U0DANA",
        channel: "C0OPS",
        text: "<@U0BOT> good bye",
        edited: { user: "U0DANA", ts: expect.any(String) },
      });
      await expect(world.playground.as("alex").edits(ts, "mine")).rejects.toThrow("only your own messages");
    },
    "where the app hears messages, edits come as message_changed and deletions as message_deleted": async () => {
      const world = await another({ app: { ...app, events: ["message.im"] } });
      const dana = world.playground.as("dana");
      const at = { channel: "@gantry" };
      const { ts = "" } = await dana.says("lst", at);
      await dana.edits(ts, "list", at);
      const changed = world.bot.last()["event"];
      await dana.deletes(ts, at);

      const inChannel = { type: "message", hidden: true, channel: dana.channelId("@gantry"), channel_type: "im" };
      expect(changed).toMatchObject({
        ...inChannel,
        subtype: "message_changed",
        message: { user: "U0DANA", ts, text: "list", edited: { user: "U0DANA" } },
        previous_message: { ts, text: "lst" },
      });
      expect(world.bot.last()["event"]).toMatchObject({
        ...inChannel,
        subtype: "message_deleted",
        deleted_ts: ts,
        previous_message: { text: "list" },
      });
      expect(dana.sees("@gantry")).toEqual([]);
    },
    "people write nothing in an archived channel, and edit nothing there": async () => {
      const world = where();
      const dana = world.playground.as("dana");
      const { ts = "" } = await dana.says("hello");
      world.playground.people.archive("ops");
      const tries = [dana.says("/gantry list"), dana.says("hello"), dana.edits(ts, "good bye"), dana.deletes(ts)];

      expect(await Promise.allSettled(tries)).toEqual(
        tries.map(() => ({
          status: "rejected",
          reason: expect.objectContaining({ message: expect.stringContaining("archived") }),
        })),
      );
      world.playground.people.unarchive("ops");
      await dana.edits(ts, "good bye");
      expect(dana.sees("ops").map(({ text }) => text)).toEqual(["good bye"]);
    },
    "each request is signed; a wrong secret and an old date can be asked for": async () => {
      const world = where();
      const { faults } = world.playground;
      const typed = async (): Promise<number | undefined> => (await says("/gantry list")).status;
      const right = await typed();
      faults.signsWrongly = true;
      const wrong = await typed();
      faults.signsWrongly = false;
      // A busy machine may take a while between signing and checking.
      faults.signatureAgeSeconds = 240;
      const old = await typed();
      faults.signatureAgeSeconds = 301;
      const tooOld = await typed();
      faults.clear();

      expect([right, wrong, old, tooOld, await typed()]).toEqual([200, 401, 200, 401, 200]);
    },
    "app_home_opened carries the tab, and the view as published": async () => {
      const world = await another({ app: { ...app, events: ["app_home_opened"] } });
      const dana = world.playground.as("dana");
      await dana.opensHome();
      const before = world.bot.last()["event"];
      await world.call("views.publish", { user_id: "U0DANA", view: { type: "home", blocks: [{ type: "divider" }] } });
      await dana.opensHome();

      expect(before).toMatchObject({ type: "app_home_opened", user: "U0DANA", tab: "home" });
      expect(before).not.toHaveProperty("view");
      expect(world.bot.last()["event"]).toMatchObject({ tab: "home", view: { type: "home" } });
    },
  };
}
