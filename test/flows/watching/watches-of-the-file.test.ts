import { expect, test } from "vitest";
import { type FileWatch, readWatches } from "../../../src/bot/commands/verbs/watch/watches-file.ts";
import { approvalTown } from "../../support/approval-town.ts";
import { spoken } from "../../support/channel-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { connects, danas } from "../../support/linking.ts";
import { says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

const file = (...watches: readonly string[]): readonly FileWatch[] =>
  readWatches(`watches: [${watches.map((each) => `{ ${each} }`).join(", ")}]`, "watches.yaml");

const shop = 'watch: "shop-*", owner: U0DANA, in: C0OPS';
const all = "watch: all, owner: U0DANA, in: dm, quiet: 22:00-07:00";

test("what the file says is watched, changes with it, and only the file ends it", async () => {
  let current = file(shop, all);
  await using town = await approvalTown({ fileWatches: () => current });
  const { developer } = town;
  await town.sweep();
  await town.settled();
  const first = await town.store().allWatches();
  await says(town, developer, "/gantry watch web");

  expect(first.toSorted((one) => (one.place.kind === "dm" ? 1 : -1))).toMatchObject([
    { source: "file", owner: { name: "Dana Reyes" }, target: { names: "shop-*", region: "beijing1" } },
    { source: "file", place: { kind: "dm" }, quiet: { zone: "Europe/Berlin" }, account: { username: "gantry" } },
  ]);
  expect(await says(town, developer, "/gantry watches")).toMatch(/shop-\*.*from the file of watches/su);
  expect(await says(town, developer, '/gantry unwatch "shop-*"')).toMatch(
    /is in the file of watches\. Nothing was changed/u,
  );
  current = file(`${shop}, after: 5m`);
  await town.sweep();
  await town.sweep();

  expect(await town.store().allWatches()).toMatchObject([
    { source: "person", target: { names: "web" } },
    { source: "file", afterMs: 300_000 },
  ]);
});

test("a watch of somebody whom Slack doesn't know is left out, and the log says which line", async () => {
  const current = file("watch: web, owner: U0NOBODY, in: C0OPS", shop);
  await using town = await approvalTown({ fileWatches: () => current });

  await town.sweep();

  expect(await town.store().allWatches()).toMatchObject([{ target: { names: "shop-*" } }]);
  expect(town.logged()).toContainEqual(
    expect.objectContaining({ msg: "a watch of the file can't be used", line: 1, owner: "U0NOBODY" }),
  );
});

/** Gantry looks whether people may still be told what they watch. */
async function later(town: World): Promise<void> {
  town.passMinutes(11);
  await town.sweep();
  await town.settled();
}

const readsOnly = `
rules:
  - { name: not the shop, who: everyone, does: watch, workloads: { name: "shop-*" }, then: refuse }
  - { name: look, who: members, does: read, then: allow }
`;

test("a watch whose owner lost the right says so once, and goes on when the right is back", async () => {
  const current = file(shop, `${shop}, digest: "daily 09:00"`);
  await using town = await approvalTown({ policy: openPolicy, fileWatches: () => current });
  const { developer } = town;
  await later(town);
  town.setPolicy(readsOnly);

  for (let checks = 0; checks < 3; checks += 1) await later(town);
  const ended = spoken(developer);
  const list = await says(town, developer, "/gantry watches");
  const unwatched = await says(town, developer, "/gantry unwatch shop-1");
  const named = await says(town, developer, '/gantry unwatch "shop-*"');
  await town.restartBot();
  await later(town);
  const restarted = spoken(developer);
  town.setPolicy(openPolicy);
  for (let checks = 0; checks < 3; checks += 1) await later(town);

  const sentence =
    "🔕 Dana Reyes no longer watches workloads named shop-*: policy no longer allows it here.\nIt is in the file of watches, and goes on once that is fixed.";
  expect(ended).toEqual([sentence, sentence]);
  expect(list).toMatch(
    /🔕 workloads named shop-\*\n[^\n]+\nfrom the file of watches · paused: policy no longer allows it here/u,
  );
  expect(unwatched).toMatch(/^Nobody watches shop-1 in /u);
  expect(named).toMatch(/^🚫 You can't watch shop-\*/u);
  expect(restarted).toEqual(ended);
  expect(spoken(developer).slice(2)).toEqual([
    "🔔 Dana Reyes watches workloads named shop-* again.",
    "🔔 Dana Reyes watches workloads named shop-* again.",
  ]);
});

test("a watch whose owner disconnected the only account says so, and goes on once there is one again", async () => {
  const current = file('watch: "shop-*", owner: U0DANA, in: C0OPS');
  await using town = await approvalTown({ fileWatches: () => current, accountMode: "own", users: [danas] });
  const { developer } = town;
  await connects(town, developer, danas);
  await later(town);
  await says(town, developer, "/gantry disconnect");
  for (let checks = 0; checks < 3; checks += 1) await later(town);
  const ended = spoken(developer).filter((text) => text.startsWith("🔕"));
  await connects(town, developer, danas);

  for (let checks = 0; checks < 3; checks += 1) await later(town);

  expect(ended).toEqual([expect.stringMatching(/: the account dana-own was changed or disconnected\./u)]);
  expect(spoken(developer).filter((text) => /^[🔕🔔]/u.test(text))).toEqual([
    ...ended,
    "🔔 Dana Reyes watches workloads named shop-* again.",
  ]);
});

test("a watch goes on with its account when its owner connects another one", async () => {
  const current = file(shop);
  await using town = await approvalTown({ fileWatches: () => current, users: [danas] });
  await later(town);
  await connects(town, town.developer, danas);

  for (let checks = 0; checks < 3; checks += 1) await later(town);

  expect(await town.store().allWatches()).toMatchObject([{ account: { username: "gantry" } }]);
  expect(spoken(town.developer).filter((text) => /^[🔕🔔]/u.test(text))).toEqual([]);
});
