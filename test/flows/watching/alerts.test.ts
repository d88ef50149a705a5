import { expect, test } from "vitest";
import { openPolicy } from "../../support/open-policy.ts";
import { clicks, saysIn, says } from "../../support/speak.ts";
import { crashing, type WatchedTown, watchedTown, well } from "../../support/watched-town.ts";
import { world } from "../../support/world.ts";

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
  expect(card).toMatch(/\[I'm on it\] \[Logs\] \[Why\] \[… Restart \| Mute 1 h\]$/mu);

  await clicks(town, town.approver, "Logs");
  await clicks(town, town.approver, "Why");
  await clicks(town, town.approver, "I'm on it");

  expect(headlines(town).filter((text) => text.startsWith("🔴 web"))).toEqual([
    "🔴 web keeps crashing: lost the database password=[redacted]",
  ]);
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
  expect(town.told().join("\n")).toMatch(/^🔴 web keeps crashing[^]*^Since .+ · 2 times$/mu);
});

test("a mute from anywhere is on the card until it ends, and so is the button that ends it, without any message", async () => {
  await using town = await townThatFails("/gantry watch web --after 0s");
  await town.passes(1);
  const card = (): string => town.told().find((text) => text.startsWith("🔴 web")) ?? "";
  const before = town.told().length;
  const [muted, open] = [/^🔕 Muted until .+$[^]*\[Unmute\]/mu, /\[… Restart \| Mute 1 h\]$/mu];
  expect(card()).toMatch(open);

  await saysIn(town, { person: town.developer, channel: "@gantry" }, "mute web 1h --in #ops");
  expect(card()).toMatch(muted);
  await clicks(town, town.approver, "Unmute");
  expect(card()).toMatch(open);
  expect(card()).not.toContain("🔕");

  await says(town, town.developer, "/gantry mute all 3m");
  expect(card()).toMatch(/\[Unmute all\]/u);
  await town.stopBot();
  town.passMinutes(2);
  await town.restartBot();
  expect(card()).toMatch(/^🔕 Muted until /mu);
  await town.passes(2);
  expect(card()).toMatch(open);
  expect(card()).not.toContain("🔕");
  expect(town.told().filter((text) => !text.includes("mute"))).toHaveLength(before);
});

test("a mute in a direct message holds back nothing in the channel", async () => {
  await using town = await townThatFails("/gantry watch web --after 0s");
  await saysIn(town, { person: town.developer, channel: "@gantry" }, "mute web 1h");

  await town.passes(1);

  expect(headlines(town)).toContain("🔴 web keeps crashing: lost the database password=[redacted]");
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

test("our own workload API says when something changes, so a crash loop is told without waiting for the next look", async () => {
  await using town = await world({ policy: openPolicy });
  const seen = (): string => town.developer.sees("ops").find(({ text }) => text.startsWith("🔴 flaky"))?.text ?? "";
  await says(town, town.developer, "/gantry watch all --after 0s");
  await town.sweep();

  await town.api.send({
    op: "createService",
    path: { region: "beijing1", service_name: "flaky" },
    query: undefined,
    body: {
      target_instance_size: 1,
      containers: [{ image: "gantry/flaky", command: ["--after", "20"], resources: { limits: { memory: "256" } } }],
    },
  });
  await town.until(async () => {
    await town.sweep();
    return seen() !== "";
  });
  expect(seen()).toMatch(/^🔴 flaky keeps crashing/u);
  expect(seen()).toMatch(/exit 1/u);
});

test("where the calls of a day are limited, nothing is waited for: each wait is a call, and what flaps would make more", async () => {
  const asked: string[] = [];
  await using town = await world({
    policy: openPolicy,
    settings: { watchCallsPerDay: 8_640 },
    via(request, answer) {
      asked.push(new URL(request.url).pathname);
      return answer(request);
    },
  });
  await says(town, town.developer, "/gantry watch all");
  for (let rounds = 0; rounds < 3; rounds += 1) {
    town.passMinutes(1);
    await town.sweep();
  }

  expect(asked.filter((path) => path.endsWith("/services")).length).toBeGreaterThan(1);
  expect(asked.filter((path) => path.endsWith("/events"))).toEqual([]);
});
