import { expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { clicks, saysIn, says } from "../../support/speak.ts";
import { crashing, type WatchedTown, watchedTown, well } from "../../support/watched-town.ts";

const isReply = (text: string): boolean => text.startsWith("↳");
const headlines = (town: WatchedTown, channel?: string): readonly string[] =>
  town
    .told(channel)
    .filter((text) => !isReply(text))
    .map((text) => text.split("\n")[0] ?? "");

/** What Dana types, and what fails then. */
async function townThatFails(words: string): Promise<WatchedTown> {
  const town = await watchedTown({ policy: openPolicy });
  town.is("web", well);
  await says(town, town.developer, words);
  await town.passes(1);
  town.is("web", crashing);
  return town;
}

test("what somebody typed is told in the channel, and its buttons look into it without changing the card", async () => {
  await using town = await townThatFails("/gantry watch web --after 0s");
  await town.passes(1);
  const card = town.told().find((text) => text.startsWith("🔴"));
  expect(card).toMatch(/\[Logs\] \[Why\] \[Restart\] \[Mute 1 h\] \[I'm on it\]$/mu);

  await clicks(town, town.approver, "Logs");
  await clicks(town, town.approver, "Why");
  await clicks(town, town.approver, "I'm on it");

  expect(headlines(town).filter((text) => text.startsWith("🔴 web"))).toEqual(["🔴 web keeps crashing"]);
  expect(town.told().find((text) => text.startsWith("🔴"))).toMatch(/^👋 Alex\b.* is on it$/mu);
  await clicks(town, town.approver, "Restart");
  expect(town.approver.modal()).toBeDefined();
});

test("a mute from the card holds back that it recovered and failed again", async () => {
  await using town = await townThatFails("/gantry watch web --after 0s");
  await town.passes(1);
  await clicks(town, town.developer, "Mute 1 h");
  const before = town.told().filter(isReply).length;

  town.is("web", well);
  await town.passes(1);
  town.is("web", crashing);
  await town.passes(1);

  expect(town.told().filter(isReply)).toHaveLength(before);
  expect(headlines(town).some((text) => text.startsWith("🔴 web keeps crashing · 2 times"))).toBe(true);
});

test("a mute in a direct message holds back nothing in the channel", async () => {
  await using town = await townThatFails("/gantry watch web --after 0s");
  await saysIn(town, { person: town.developer, channel: "@gantry" }, "mute web 1h");

  await town.passes(1);

  expect(headlines(town)).toContain("🔴 web keeps crashing");
});

test("a direct message is told to its owner alone", async () => {
  await using town = await townThatFails("/gantry watch web --after 0s --dm");
  await town.passes(1);

  expect(headlines(town).some((text) => text.includes("keeps crashing"))).toBe(false);
  expect(town.developer.sees("@gantry").some(({ text }) => text.startsWith("🔴 web keeps crashing"))).toBe(true);
});

test("a storm while Slack answers 429: nothing is lost, and one message tells how it is then", async () => {
  await using town = await watchedTown({ policy: openPolicy });
  const names = Array.from({ length: 30 }, (_, at) => `shop-${at + 100}`);
  for (const name of names) town.is(name, well);
  await town.watches("shop-*", { afterMs: 0 });
  town.playground.faults.answer("chat.postMessage", "429", { channel: "ops", retryAfterSeconds: 30 });

  for (const name of names) town.is(name, crashing);
  await town.passes(1);
  expect(headlines(town)).toEqual([]);
  town.is("shop-100", well);
  town.playground.faults.clear();
  await town.passes(2);

  expect(headlines(town)).toEqual(["🔴 29 of 30 workloads keep crashing"]);
});
