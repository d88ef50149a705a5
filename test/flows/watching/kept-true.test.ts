import { describe, expect, test } from "vitest";
import { event } from "../../bot/store/contract/bench.ts";
import { openPolicy } from "../../support/open-policy.ts";
import type { Person } from "../../support/world.ts";
import { crashing, type WatchedTown, watchedTown, well } from "../../support/watched-town.ts";

/** Dana watches web in #ops. */
async function watching(): Promise<WatchedTown> {
  const town = await watchedTown({ policy: openPolicy });
  town.is("web", well);
  await town.watches("web", { afterMs: 0 });
  return town;
}

async function turns(town: WatchedTown, state: object, minutes = 1): Promise<void> {
  town.is("web", state);
  await town.passes(minutes);
}

/** First lines of messages, and of replies with an arrow before them. */
function headlines(town: WatchedTown, channel = "ops"): readonly string[] {
  return town.told(channel).map((text) => text.split("\n")[0] ?? "");
}

const direct = (town: WatchedTown): readonly string[] => town.developer.sees("@gantry").map(({ text }) => text);
const lines = "↳ Last lines of web";
const isOver = (text: string): boolean => /^(?:↳ )?🟢 web recovered/u.test(text);

test("that it recovered is told in the thread of a card that can't be edited, also when only failures are watched", async () => {
  await using town = await watchedTown({ policy: openPolicy });
  town.is("web", well);
  await town.watches("web", { afterMs: 0, events: ["failing"] });
  await turns(town, crashing);
  town.playground.faults.answer("chat.update", { error: "edit_window_closed" }, { channel: "ops" });

  await turns(town, well, 3);

  expect(headlines(town).map((text) => (isOver(text) ? "over" : text))).toEqual([
    "🔴 web keeps crashing: lost the database password=[redacted]",
    lines,
    "over",
  ]);
  expect(direct(town)).toEqual([]);
});

test("the end of an incident in an archived channel is told to who watches, and to the channel when it is back", async () => {
  await using town = await watching();
  await turns(town, crashing);
  town.playground.people.archive("ops");

  await turns(town, well, 2);

  const [told = "", ...others] = direct(town);
  expect(told).toMatch(/^🟢 web recovered/u);
  expect(told).toContain("You got this here because I couldn't post in");
  expect(others).toEqual([]);
  town.playground.people.unarchive("ops");
  await town.passes(2);
  expect(headlines(town)[0]).toSatisfy(isOver);
  expect(headlines(town).filter((text) => text.startsWith("↳ 🟢"))).toHaveLength(1);
  expect(direct(town)).toHaveLength(1);
});

/** What takes from Dana the right to be told of web, in #ops or in her direct message. */
const losses: readonly (readonly [what: string, lose: (town: WatchedTown) => void])[] = [
  ["Dana is deactivated", (town) => town.playground.people.deactivate("dana", { signsOut: false })],
  [
    "policy lets nobody watch",
    (town) =>
      town.setPolicy(
        `rules: [{ name: none, who: everyone, does: watch, then: refuse }, { name: all, who: members, does: [read], then: allow }]`,
      ),
  ],
  [
    "policy hides web",
    (town) =>
      town.setPolicy(
        `rules: [{ name: hidden, who: everyone, does: read, workloads: { name: web }, then: refuse }, { name: all, who: members, does: [read, watch], then: allow }]`,
      ),
  ],
];

describe.each(losses)("when %s", (_what, lose) => {
  test("a card in a direct message doesn't tell how it goes on", async () => {
    await using town = await watchedTown({ policy: openPolicy });
    town.is("web", well);
    await town.watches("web", { afterMs: 0, place: { kind: "dm" } });
    await turns(town, crashing);
    expect(direct(town)[0]).toMatch(/^🔴 web keeps crashing/u);

    lose(town);
    await turns(town, well, 12);

    expect(direct(town).join("\n")).not.toMatch(/recovered/u);
    expect(direct(town)[0]).toMatch(/^⚪️ web isn't watched any more/u);
  });

  test("a first message that waits isn't posted", async () => {
    await using town = await watching();
    town.playground.faults.answer("chat.postMessage", "429", { channel: "ops", retryAfterSeconds: 120 });
    await turns(town, crashing);

    lose(town);
    town.playground.faults.clear();
    await town.passes(4);

    expect(town.told().join("\n")).not.toMatch(/crashing|Last lines/u);
  });

  test("a reply that waits isn't posted", async () => {
    await using town = await watching();
    await turns(town, crashing);
    town.playground.faults.answer("chat.postMessage", "429", { channel: "ops", retryAfterSeconds: 120 });
    await turns(town, well);

    lose(town);
    town.playground.faults.clear();
    await town.passes(4);

    expect(headlines(town).filter((text) => text.startsWith("↳ 🟢"))).toEqual([]);
  });

  test("nobody is told instead of a channel that is closed", async () => {
    await using town = await watching();
    town.playground.faults.answer("chat.postMessage", "429", { channel: "ops", retryAfterSeconds: 120 });
    await turns(town, crashing);
    town.playground.faults.clear();
    town.playground.faults.answer("chat.postMessage", { error: "is_archived" }, { channel: "ops" });

    lose(town);
    await town.passes(4);

    expect(direct(town).join("\n")).not.toMatch(/crashing/u);
  });
});

test("what policy refuses in direct messages isn't told there instead of a closed channel", async () => {
  await using town = await watching();
  town.setPolicy(
    `rules: [{ name: here, who: everyone, does: anything, where: dm, then: refuse }, { name: all, who: members, does: [read, watch], then: allow }]`,
  );
  town.playground.faults.answer("chat.postMessage", { error: "is_archived" }, { channel: "ops" });

  await turns(town, crashing, 3);
  expect(direct(town)).toEqual([]);

  // The watch itself stays.
  town.playground.faults.clear();
  await town.passes(3);
  expect(headlines(town)).toEqual(["🔴 web keeps crashing: lost the database password=[redacted]", lines]);
});

test("a card says that nobody watches there any more while another channel does", async () => {
  await using town = await watching();
  town.playground.faults.inviteBot("general");
  await town.watches("web", { afterMs: 0, place: { kind: "channel", channelId: "C0GENERAL" } });
  await turns(town, crashing);
  const [watch] = (await town.store().allWatches()).filter(
    ({ place }) => "channelId" in place && place.channelId === "C0OPS",
  );

  await town
    .store()
    .removeWatch({ id: watch?.id ?? "", teamId: "T0PLAYGR" }, event("unwatched", { teamId: "T0PLAYGR" }));
  await town.passes(1);

  expect(headlines(town)[0]).toBe("⚪️ web isn't watched any more");
  expect(headlines(town, "general")[0]).toBe("🔴 web keeps crashing: lost the database password=[redacted]");
});

test("a direct message instead of a closed channel names nothing that its reader may not see there", async () => {
  await using town = await watchedTown({ policy: openPolicy });
  for (const name of ["web", "pay"]) {
    town.is(name, well);
    await town.watches(name, { afterMs: 0 });
  }
  town.setPolicy(
    `rules: [{ name: not pay, who: everyone, does: [read, watch], where: dm, workloads: { name: pay }, then: refuse }, { name: all, who: members, does: [read, watch], then: allow }]`,
  );
  town.playground.people.archive("ops");
  for (const name of ["web", "pay"]) town.is(name, crashing);
  await town.passes(1);
  expect(direct(town)[0]).toMatch(/^🔴 web keeps crashing/u);

  town.is("web", well);
  await town.passes(2);

  expect(direct(town)[0]).toMatch(/^🟢 web/u);
  expect(direct(town).join("\n")).not.toMatch(/\bpay\b/u);
});

test("while a channel is closed, each thing that fails is told to somebody who watches it", async () => {
  await using town = await watchedTown({ policy: openPolicy });
  for (const name of ["web", "pay"]) town.is(name, well);
  await town.watches("web", { afterMs: 0 });
  await town.watches("pay", { afterMs: 0, owner: { userId: "U0ALEX", name: "Alex Kim" } });
  town.playground.people.archive("ops");

  for (const name of ["web", "pay"]) town.is(name, crashing);
  await town.passes(3);

  const read = (person: Person): readonly string[] =>
    person.sees("@gantry").map(({ text }) => text.split("\n")[0] ?? "");
  expect(read(town.developer)).toEqual([
    "🔴 web keeps crashing: lost the database password=[redacted]",
    "Last lines of web",
  ]);
  expect(read(town.approver)).toEqual([
    "🔴 pay keeps crashing: lost the database password=[redacted]",
    "Last lines of pay",
  ]);
});

test("news is told at once in the thread of a card that can't be edited, however long that has been so", async () => {
  await using town = await watching();
  await turns(town, crashing);
  town.playground.faults.answer("chat.update", { error: "edit_window_closed" }, { channel: "ops" });
  town.is("web", { ...crashing, restart_count: 9, restarts: { ...crashing.restarts, count: 9 } });
  for (const hours of [1, 4, 5]) await town.sleeps(hours * 60);

  await turns(town, well, 2);

  expect(headlines(town).filter((text) => text.startsWith("↳ 🟢"))).toHaveLength(1);
});

test("a card that somebody deleted doesn't name in a new message what policy hides there by now", async () => {
  await using town = await watching();
  await turns(town, crashing);
  const [deleted] = town.playground.messages("ops");
  town.playground.people.removeMessage("ops", deleted?.ts ?? "");
  const before = town.developer.sees("ops").map(({ ts }) => ts);

  town.setPolicy(
    `rules: [{ name: hidden, who: everyone, does: read, workloads: { name: web }, then: refuse }, { name: all, who: members, does: [read, watch], then: allow }]`,
  );
  await turns(town, well, 3);

  const [ended, ...more] = town.developer.sees("ops").filter(({ ts }) => !before.includes(ts));
  expect(ended?.text).toContain("Dana no longer watches a hidden workload");
  expect(more).toEqual([]);
});

test("a guest reads in an alert nothing that history hides from guests", async () => {
  await using town = await watchedTown({
    policy: `rules: [{ name: all, who: everyone, does: [read, watch, routine, disruptive], then: allow }]`,
  });
  town.is("web", well);
  await town.watches("web", { afterMs: 0, owner: { userId: "U0GWEN", name: "Gwen" }, place: { kind: "dm" } });
  await town.developer.says('/gantry restart web --reason "the boss knows"', { channel: "general" });
  await town.settled();
  await turns(town, crashing, 2);

  const told = town.guest.sees("@gantry").map(({ text }) => text);
  expect(told[0]).toMatch(/^🔴 web keeps crashing/u);
  expect(told.join("\n")).not.toMatch(/restarted|Dana|boss/u);
});
