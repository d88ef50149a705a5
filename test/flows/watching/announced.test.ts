import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { spoken } from "../../support/channel-town.ts";
import { connectsChannel, teams } from "../../support/linking.ts";
import { says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

type Deed = readonly [what: string, act: (town: World) => Promise<unknown>, told: RegExp];

/** What a channel is told when somebody does it, and how that begins. */
const ofWatches: readonly (readonly [...Deed, unnamed: string])[] = [
  [
    "watches a workload",
    (town) => says(town, town.developer, "/gantry watch web"),
    /watches web/u,
    "🔔 Dana Reyes watches a hidden workload in #ops.",
  ],
  [
    "ends a watch",
    async (town) => {
      await says(town, town.approver, "/gantry watch web --after 5m");
      await says(town, town.developer, "/gantry unwatch web");
    },
    /Dana Reyes stopped watching web/u,
    "🔕 Dana Reyes stopped watching a hidden workload in #ops.",
  ],
];
const done: readonly Deed[] = [
  ...ofWatches.map(([what, act, told]): Deed => [what, act, told]),
  ["binds the channel", (town) => says(town, town.developer, "/gantry use --region beijing2"), /beijing2/u],
  ["connects an account", (town) => connectsChannel(town, town.developer, teams), /team-ops/u],
];

const policy = `
rules:
  - { name: everything, who: [members], does: [read, routine, disruptive, destructive, watch, bindChannel], then: allow }
`;
const towns = () => approvalTown({ users: [teams], policy });

async function later(town: World, minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) {
    town.passMinutes(1);
    await town.sweep();
    await town.settled();
  }
}

const told = (town: World, what: RegExp): readonly string[] => spoken(town.developer).filter((text) => what.test(text));

test.each(done)(
  "when somebody %s, a channel whose answer is lost reads it again, with a note",
  async (_what, act, what) => {
    await using town = await towns();
    // Only what the channel is told: an answer to one person goes another way.
    town.playground.faults.answer("chat.postMessage", "lost", { channel: "ops", times: 1 });
    await act(town);

    await later(town, 2);

    const all = spoken(town.developer).filter((text) => what.test(text) || text.includes("Sent again"));
    expect(all.filter((text) => text.includes("Sent again: you may have it already."))).toHaveLength(1);
    await later(town, 5);
    expect(all).toHaveLength(
      spoken(town.developer).filter((text) => what.test(text) || text.includes("Sent again")).length,
    );
  },
);

test.each(done)(
  "when somebody %s while Slack answers 429 for minutes, the channel reads it once after that",
  async (_what, act, what) => {
    await using town = await towns();
    town.playground.faults.answer("chat.postMessage", "429", { channel: "ops", retryAfterSeconds: 150 });
    await act(town);
    expect(told(town, what)).toEqual([]);

    town.playground.faults.clear();
    await later(town, 4);

    expect(told(town, what)).toHaveLength(1);
    expect(told(town, what)[0]).not.toContain("Sent again");
  },
);

test.each(ofWatches)(
  "when somebody %s that policy hides before Slack takes the message, the channel reads who did it, without the name",
  async (_what, act, what, unnamed) => {
    await using town = await towns();
    town.playground.faults.answer("chat.postMessage", "429", { channel: "ops", retryAfterSeconds: 150 });
    await act(town);
    town.setPolicy("rules: [{ name: none, who: everyone, does: anything, then: refuse }]");

    town.playground.faults.clear();
    await later(town, 4);

    expect(told(town, what)).toEqual([]);
    expect(spoken(town.developer).at(-1)).toBe(unnamed);
  },
);

test("whoever ends a watch of what policy hides there by now reads its name alone", async () => {
  await using town = await towns();
  await says(town, town.developer, "/gantry watch web");
  town.setPolicy("rules: [{ name: none, who: everyone, does: anything, then: refuse }]");

  await says(town, town.developer, "/gantry unwatch web");
  await later(town, 2);

  expect(whispers(town.developer).at(-1)).toBe("🔕 Dana Reyes stopped watching web in #ops.");
  expect(spoken(town.developer).at(-1)).toBe("🔕 Dana Reyes stopped watching a hidden workload in #ops.");
  expect(told(town, /web/u)).toHaveLength(1);
});

test("whoever watches something in a closed channel reads it alone, and the channel when it opens", async () => {
  await using town = await towns();
  town.playground.faults.answer("chat.postMessage", { error: "restricted_action" }, { channel: "ops" });
  await says(town, town.developer, "/gantry watch web");
  expect(whispers(town.developer).at(-1)).toMatch(/watches web\.[^]*⚠️ I haven't posted this in #ops yet\./u);

  town.playground.faults.clear();
  await later(town, 3);

  expect(told(town, /watches web/u)).toHaveLength(1);
});
