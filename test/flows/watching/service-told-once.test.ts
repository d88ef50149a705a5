import { expect, test } from "vitest";
import { rolloutTown, type RolloutTown } from "../../support/rollout-town.ts";
import { says } from "../../support/speak.ts";

type Options = Parameters<typeof rolloutTown>[1];

const crashes = {
  ready_instances: 0,
  restart_count: 4,
  restarts: { count: 4, first_at: "2026-11-21T12:00:00Z", last_at: "2026-11-21T12:01:00Z" },
  last_state: { reason: "Error", exit_code: 3 },
};

/** So many minutes pass, and Gantry looks every half minute. */
async function passes(town: RolloutTown, minutes: number): Promise<void> {
  for (let half = 0; half < 2 * minutes; half += 1) await town.later(30);
}

/** The first lines of messages that say that something fails, or is well again. */
const told = (town: RolloutTown, channel = "ops"): readonly string[] =>
  town.developer.sees(channel).flatMap(({ text, threadTs, ts }) => {
    const [line = ""] = text.split("\n");
    const mark = threadTs !== undefined && threadTs !== ts ? "↳ " : "";
    return /^(?:🔴|⚠️|🟢 \w+ (?:got|recovered))/u.test(line) ? [`${mark}${line}`] : [];
  });

/** A town in which #ops watches all, and in which web has a new version that was requested there. */
async function deployed(watch = "--after 0s", options: Options = {}): Promise<RolloutTown> {
  const town = await rolloutTown(["web"], options);
  await says(town, town.developer, `/gantry watch all ${watch}`);
  await says(town, town.developer, "/gantry deploy web 1.5 --on-failure stop");
  await town.later(3);
  town.isWell("web");
  return town;
}

const onCard = [
  "🔴 Deploying :1.5 to web: keeps crashing",
  expect.stringMatching(/^↳ 🔴 web keeps crashing · .* · @dana$/u),
];

test.each(["--after 0s", "--after 2m"])(
  "a deploy that fails in a channel that watches %s is told once: on its card",
  async (watch) => {
    await using town = await deployed(watch);
    // The card has polled, and would poll again minutes later.
    await passes(town, 1);

    town.nowIs("web", crashes);
    await passes(town, 4);

    expect(told(town)).toEqual(onCard);
  },
);

test("the watch of another place tells it", async () => {
  await using town = await deployed();
  await says(town, town.developer, "/gantry watch web --dm --after 0s");

  town.nowIs("web", crashes);
  await passes(town, 2);

  expect(told(town)).toEqual(onCard);
  expect(told(town, "@gantry")).toEqual(["🔴 web keeps crashing: no database"]);
});

test("a failure that began before the request is told by the watch", async () => {
  await using town = await rolloutTown(["web"]);
  await says(town, town.developer, "/gantry watch all --after 2m");
  town.nowIs("web", crashes);
  await passes(town, 1);

  await says(town, town.developer, "/gantry scale web 4");
  await passes(town, 2);

  expect(told(town)).toContain("🔴 web keeps crashing: no database");
});

test("the card tells that it is over, too, and when it comes back", async () => {
  await using town = await deployed();
  town.nowIs("web", crashes);
  await passes(town, 1);

  town.isWell("web");
  await passes(town, 3);
  expect(told(town)).toEqual([onCard[1], expect.stringMatching(/^↳ 🟢 web got healthy · /u)]);

  town.nowIs("web", crashes);
  await passes(town, 1);
  expect(told(town)).toEqual([
    ...onCard,
    expect.stringMatching(/^↳ 🟢 web got healthy · /u),
    expect.stringMatching(/^↳ 🔴 web keeps crashing · /u),
  ]);
});

test("when its card is followed no more, the watch tells that it is over, and what fails next", async () => {
  await using town = await deployed();
  await passes(town, 8.5);
  town.nowIs("web", crashes);
  await passes(town, 2);
  expect(told(town)).toEqual(onCard);

  town.isWell("web");
  await passes(town, 1);
  expect(told(town)).toEqual([...onCard, "🟢 web recovered after 2 min"]);

  await passes(town, 10);
  town.nowIs("web", crashes);
  await passes(town, 1);
  expect(told(town).slice(3)).toEqual(["🔴 web keeps crashing: no database"]);
});

test("a failure twenty-six minutes later is told by the watch", async () => {
  await using town = await deployed();
  await passes(town, 26);

  town.nowIs("web", crashes);
  await passes(town, 1);

  expect(told(town)).toEqual(["🔴 web keeps crashing: no database"]);
});

test("its card is deleted each time: the watch tells", async () => {
  await using town = await deployed();
  town.playground.faults.answer("chat.update", { error: "message_not_found" });
  await passes(town, 1);

  town.nowIs("web", crashes);
  await passes(town, 1);
  expect(told(town)).toEqual([]);
  await passes(town, 2);

  expect(told(town)).toEqual(["🔴 web keeps crashing", "🔴 web keeps crashing: no database"]);
});

test("one of several that were restarted fails: only their card tells", async () => {
  await using town = await rolloutTown(["web", "worker"]);
  await says(town, town.developer, "/gantry watch all --after 0s");
  await says(town, town.developer, "/gantry restart web worker");
  await passes(town, 1);

  town.nowIs("worker", crashes);
  await passes(town, 4);

  expect(told(town)).toEqual([
    "🔴 2 of 2 accepted: worker is failing",
    expect.stringMatching(/^↳ 🔴 worker keeps crashing · /u),
  ]);
});

test("the card sees what the watch sees, and at once, and reads only what its last lines need", async () => {
  await using town = await deployed();
  await passes(town, 2);
  const before = town.calls().length;

  town.nowIs("web", crashes);
  await town.later(10);
  await town.settled();

  expect(told(town)).toEqual(onCard);
  const calls = new Set(town.calls().slice(before));
  expect([...calls].toSorted()).toEqual(["getService", "getServiceLogs", "listJobs", "listServices"]);
});
