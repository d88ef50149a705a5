import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { approvalTown, counting } from "../../support/approval-town.ts";
import { killTown } from "../../support/kill-town.ts";
import { testClock } from "../../support/test-clock.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, idOf, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** The bot sweeps after each of these pauses, in seconds. */
async function sweepsAfter(town: World, ...pauses: readonly number[]): Promise<void> {
  for (const seconds of pauses) {
    town.passSeconds(seconds);
    await town.sweep();
  }
}

/** All that a person was told of a service beside the card: in its thread, alone in the channel, and in direct messages. */
function toldBeside({ playground, developer }: World, name = "web"): readonly string[] {
  const replies = playground.messages("ops").flatMap((message) => message.replies.map(({ text }) => text));
  const told = [...replies, ...whispers(developer), ...developer.sees("@gantry").map(({ text }) => text)];
  return told.filter((text) => text.includes(name));
}

/** From the moment in which the next card is in #ops. */
function onceACardIsThere({ playground }: World, happens: () => void): void {
  const before = playground.messages("ops").length;
  const stop = playground.watch(() => {
    if (playground.messages("ops").length === before) return;
    stop();
    happens();
  });
}

const refuses = (error: string) => (town: World) => town.playground.faults.answer("chat.update", { error });

describe("while a restart runs", () => {
  let town: World;
  beforeAll(async () => {
    town = await shopTown(["archived", "uneditable", "gone", "limited", "timely"], { policy: openPolicy });
  });
  afterEach(() => {
    town.playground.faults.clear();
    town.playground.people.unarchive("ops");
    // As long as Slack limited updates.
    town.passMinutes(10);
  });
  afterAll(async () => town.close());

  test.each([
    ["its channel is archived", "archived", ({ playground }: World) => playground.people.archive("ops")],
    ["Slack's time for edits is over", "uneditable", refuses("edit_window_closed")],
    [
      "Slack finds the card nowhere, and takes no other",
      "gone",
      (there: World) => {
        refuses("message_not_found")(there);
        there.playground.faults.answer("chat.postMessage", { error: "restricted_action" }, { channel: "ops" });
      },
    ],
    [
      "Slack limits updates for minutes",
      "limited",
      ({ playground }: World) => playground.faults.answer("chat.update", "429", { retryAfterSeconds: 600 }),
    ],
  ] as const)(
    "and %s (%s), its requester learns the end within half a minute, once",
    async (_trouble, name, happens) => {
      const calls = counting(town);
      onceACardIsThere(town, () => happens(town));

      await says(town, town.developer, `/gantry restart ${name}`);
      await sweepsAfter(town, 12, 12);
      const told = toldBeside(town, name);
      await sweepsAfter(town, 60);

      expect(calls("restartService")).toBe(1);
      expect(told).toEqual([expect.stringMatching(new RegExp(`${name} restarted[\\s\\S]*1 of 1 running`, "u"))]);
      expect(toldBeside(town, name)).toEqual(told);
    },
  );

  test("and its card shows it in time, nothing is left to tell", async () => {
    await says(town, town.developer, "/gantry restart timely");
    await sweepsAfter(town, 24, 36);

    expect(toldBeside(town, "timely")).toEqual([]);
  });
});

test("when the bot is removed from a private channel while a restart runs, its requester reads the end in a direct message", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  const { playground, developer } = town;
  playground.people.setPrivate("ops", true);
  onceACardIsThere(town, () => playground.people.remove("ops", "gantry"));

  await says(town, developer, "/gantry restart web");
  await sweepsAfter(town, 12, 12);

  expect(developer.sees("@gantry").map(({ text }) => text)).toEqual([
    expect.stringMatching(/web restarted[\s\S]*\d of 2 running[\s\S]*invite @gantry/iu),
  ]);
  expect(toldBeside(town)).toHaveLength(1);
});

test.each([
  ["limits", "429"],
  ["fails", "500"],
] as const)(
  "while Slack %s the card of a change that runs, its requester reads that it runs, then how it ended",
  async (...story) => {
    const [, fault] = story;
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const clock = testClock();
    await using town = await approvalTown({
      policy: openPolicy,
      clock,
      patience: clock.after,
      async via(request, send) {
        if (request.method === "PUT") await mayEnd;
        return send(request);
      },
    });
    const { playground, developer } = town;
    playground.faults.answer("chat.postMessage", fault, { channel: "ops", retryAfterSeconds: 75 });

    await developer.says("/gantry scale web 3");
    await town.until(() => town.calls().includes("updateService"));
    await town.until(() => {
      town.passSeconds(1);
      void town.sweep();
      return whispers(developer).length > 0;
    });
    const [runs = "", ...more] = whispers(developer);
    end();
    await town.settled();
    await sweepsAfter(town, 3, 12);

    expect(runs).toMatch(/Scaling web to 3…[\s\S]*no card in #ops[\s\S]*It runs, so don't request it again/u);
    expect(more).toEqual([]);
    expect(whispers(developer)).toEqual([runs, expect.stringMatching(/web scaled to 3[\s\S]*\d of 3 running/u)]);
    expect(playground.messages("ops")).toEqual([]);

    playground.faults.clear();
    await sweepsAfter(town, 75, 15);
    expect(card(developer)).toMatch(/^(?:✅|🟡) web scaled to 3/u);
    expect(whispers(developer)).toHaveLength(2);
  },
);

test("a bot that is killed right after it told how a request ended doesn't tell it again", async () => {
  const { town, stalls } = await killTown({ policy: openPolicy });
  await using _town = town;
  const { playground, developer } = town;
  onceACardIsThere(town, () => playground.faults.answer("chat.update", { error: "edit_window_closed" }));
  stalls.at("removePost", "before");
  await developer.says("/gantry restart web");
  await town.until(stalls.isReached);
  const told = toldBeside(town);
  stalls.clear();
  await town.crashBot();
  await town.settled();
  await sweepsAfter(town, 3, 60, 24);

  expect(told).toEqual([expect.stringContaining(idOf(card(developer)))]);
  expect(toldBeside(town)).toEqual(told);
});

test("when Slack limits everything in the channel for long, the requester reads the end in a direct message", async () => {
  await using town = await shopTown(["jammed"], { policy: openPolicy });
  const { playground, developer } = town;
  onceACardIsThere(town, () => {
    for (const method of ["chat.update", "chat.postMessage"] as const) {
      playground.faults.answer(method, "429", { channel: "ops", retryAfterSeconds: 1_800 });
    }
  });

  await says(town, developer, "/gantry restart jammed");
  await sweepsAfter(town, 12, 12, 12);

  const told = [expect.stringMatching(/jammed restarted[\s\S]*1 of 1 running/u)];
  expect(developer.sees("@gantry").map(({ text }) => text)).toEqual(told);
  playground.faults.clear();
  await sweepsAfter(town, 1_900, 60);
  expect(card(developer)).toMatch(/^✅ jammed restarted/u);
  expect(toldBeside(town, "jammed")).toEqual(told);
});

test("while a call for the card hangs, the requester reads beside their command that it runs", async () => {
  await using town = await approvalTown({ policy: openPolicy, drain: { graceMs: 50, goodbyeMs: 50 } });
  const { playground, developer } = town;
  playground.faults.answer("chat.postMessage", "hang", { channel: "ops" });

  await developer.says("/gantry restart web");
  let seconds = 0;
  await town.until(() => {
    town.passSeconds(1);
    seconds += 1;
    void town.sweep();
    return whispers(developer).length > 0;
  });

  expect(whispers(developer)[0]).toMatch(/web[\s\S]*There's no card in #ops: Slack isn't taking it right now/u);
  playground.faults.clear();
});
