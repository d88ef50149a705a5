import { expect, test } from "vitest";
import type { HistoryEvent } from "../../../../src/bot/changes/history-event.ts";
import type { Incident } from "../../../../src/bot/watch/incident.ts";
import { shownAlert } from "../../../../src/bot/workflow/watching/alert-post.ts";
import { cardOf, incident } from "../../views/support/alerts.ts";
import { event } from "../../views/support/stored-changes.ts";
import { desk } from "../support/desk.ts";

const MINUTE = 60_000;

/** A card of web, which failed and recovered five minutes later, with these rows in history, newest first. */
async function cardWith(
  rows: (at: (minutes: number) => Date) => readonly HistoryEvent[],
  openedAgoMs = 10 * MINUTE,
): Promise<string> {
  const { deps, clock } = await desk();
  const openedAt = new Date(clock.now().getTime() - openedAgoMs);
  const at = (minutes: number): Date => new Date(openedAt.getTime() + minutes * MINUTE);
  const over: Incident = { ...incident, name: "web", openedAt, overAt: at(5), end: "recovered" };
  const all = rows(at);
  const history: typeof deps.store.history = async ({ show, limit }) =>
    all.filter(({ kind }) => show === undefined || kind !== "claimed").slice(0, limit);
  const content = { ...cardOf([over]), incidents: [over], watches: [], instead: [], mute: undefined };
  const store = { ...deps.store, history };
  const shown = shownAlert({ ...deps, store }, { ...content, readsHistory: true });
  return (await shown.card({ isAgain: false })).text;
}

const claimed = (at: Date) => event("claimed", { at });
const done = (at: Date) => event("done", { at });
const nothing = "Nothing was changed through Gantry meanwhile";

test("that nothing was changed is said of an incident in whose time nothing was sent", async () => {
  expect(await cardWith(() => [])).toContain(nothing);
  expect(await cardWith((at) => [done(at(-2)), claimed(at(-3))])).toContain(nothing);
  // Of the service in another region.
  const workload = { kind: "service", region: "shanghai1", name: "web" };
  expect(await cardWith((at) => [{ ...claimed(at(1)), workload }])).toContain(nothing);
});

test.each<[string, Parameters<typeof cardWith>[0]]>([
  ["a request is under way", (at) => [claimed(at(3))]],
  ["a request ended only after the recovery", (at) => [done(at(6)), claimed(at(3))]],
  ["there are more rows than are read", (at) => Array.from({ length: 20 }, () => event("rejected", { at: at(2) }))],
  ["there are more rows after it than are read", (at) => Array.from({ length: 20 }, () => done(at(7)))],
  ["there are more steps than are read", (at) => Array.from({ length: 200 }, () => claimed(at(8)))],
])("nothing is said of changes while they aren't all known: %s", async (_, rows) => {
  expect(await cardWith(rows)).not.toContain(nothing);
});

test("nor is it of an incident that began before what history is sure to keep", async () => {
  expect(await cardWith(() => [], 23 * 60 * MINUTE)).toContain(nothing);
  expect(await cardWith(() => [], 24 * 60 * MINUTE)).not.toContain(nothing);
});
