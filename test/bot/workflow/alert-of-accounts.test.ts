import { expect, test } from "vitest";
import type { Alert } from "../../../src/bot/watch/alert.ts";
import type { Incident } from "../../../src/bot/watch/incident.ts";
import { alertStory } from "../../../src/bot/workflow/watching/story.ts";
import { desk } from "./support/desk.ts";

const at = new Date("2026-11-26T14:02:00Z");
const incident: Incident = {
  id: "i1",
  teamId: "T1",
  account: "acme",
  region: "beijing1",
  kind: "service",
  name: "web",
  cause: "crash-loop",
  shared: undefined,
  openedAt: at,
  overAt: undefined,
  end: undefined,
  times: 1,
  seen: undefined,
  unseenSince: undefined,
  overUnseenSince: undefined,
  restartsBefore: 0,
  changedBefore: undefined,
};
const alert: Alert = {
  id: "a1",
  teamId: "T1",
  place: "C1",
  ownerId: "U1",
  createdAt: at,
  version: 1,
  card: undefined,
  incidents: [incident],
  events: [],
  told: [],
  taken: undefined,
};

test.each([
  ["of one account act for it", ["acme"], true],
  ["of two accounts act for whoever clicks", ["acme", "dana-own"], false],
])("the buttons of an alert about workloads %s", async (_what, accounts, areOfOne) => {
  const { deps } = await desk();
  const incidents = accounts.map((account, each) => ({ ...incident, id: `i${each}`, account, name: `web-${each}` }));

  const { card } = await alertStory(deps, { ...alert, incidents }, { isAgain: false });

  const ids = JSON.stringify(card.blocks).match(/"action_id":"[^"]*"/gu) ?? [];
  expect(ids.length).toBeGreaterThan(1);
  expect(ids.some((id) => id.includes("@acme"))).toBe(areOfOne);
});
