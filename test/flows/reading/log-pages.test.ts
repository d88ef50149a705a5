import { afterAll, beforeAll, expect, test } from "vitest";
import { logDate } from "../../../src/api/log-pages.ts";
import { type Line, numberedLines, numbersIn, range, servedLogs } from "../../support/served-log.ts";
import { clicks, says } from "../../support/speak.ts";
import { BEGINNING } from "../../support/test-clock.ts";
import { type Person, type World, world } from "../../support/world.ts";

const today = logDate(BEGINNING, "UTC");
const growing = numberedLines(1, 40);
/** A line each second since midnight UTC. */
const timed = range(0, 59).map((second): Line => {
  const at = new Date(Date.parse(`${BEGINNING.toISOString().slice(0, 10)}T00:00:00Z`) + second * 1_000);
  return { instance_name: "timed-0", log: `${at.toISOString()} line ${second}.` };
});
const served = servedLogs({
  growing: { [today]: growing },
  timed: { [today]: timed },
  long: { [today]: numberedLines(1, 150) },
  short: { [today]: numberedLines(1, 3) },
  wide: { [today]: numberedLines(1, 12, (at) => `line ${at}. ${"x".repeat(1_500)}`) },
  away: { [today]: numberedLines(1, 3) },
});

let isAway = false;
let town: World;
beforeAll(async () => {
  town = await world({
    apiFetch: (request) =>
      isAway && request.url.includes("/away") ? Promise.reject(new TypeError("fetch failed")) : served(request),
  });
});
afterAll(async () => town.close());

/** The numbers of the lines in the newest message that has any. */
function shown(person: Person): number[] {
  const texts = person.sees("ops").map(({ text }) => text);
  return numbersIn(texts.findLast((text) => numbersIn(text).length > 0) ?? "");
}

test("pages follow each other in one thread, for everybody, without a gap, although lines arrive in between", async () => {
  const { developer, approver } = town;
  const before = developer.sees("ops").length;
  await says(town, developer, "/gantry logs growing --size 10");
  expect(shown(approver)).toEqual(range(31, 40));

  await clicks(town, approver, "Older");
  expect(shown(developer)).toEqual(range(21, 30));
  growing.push(...numberedLines(41, 47));
  await clicks(town, approver, "Newer");
  expect(shown(developer)).toEqual(range(31, 40));
  await clicks(town, approver, "Newer");
  expect(shown(developer)).toEqual(range(41, 47));

  await clicks(town, approver, "Newer");
  expect(developer.sees("ops").at(-1)?.text).toContain("growing has no new log lines since that page.");
  growing.push(...numberedLines(48, 49));
  await clicks(town, approver, "Newer");
  expect(shown(developer)).toEqual([48, 49]);
  const seen = developer.sees("ops").slice(before);
  expect(new Set(seen.map(({ threadTs, ts }) => threadTs ?? ts)).size).toBe(1);
});

test("logs requested from a message that only I see are for me, and are posted to the channel by a button that says so", async () => {
  const { developer, approver } = town;
  const before = approver.sees("ops").length;
  await says(town, developer, "/gantry show long");

  await clicks(town, developer, "Logs");
  expect(shown(developer)).toEqual(range(51, 150));
  const count = developer.sees("ops").length;
  await clicks(town, developer, "Older");
  expect(shown(developer)).toEqual(range(1, 50));
  expect(developer.sees("ops").length).toBe(count);
  expect(approver.sees("ops").length).toBe(before);

  await clicks(town, developer, "Post to channel");
  expect(shown(approver)).toEqual(range(1, 50));
  expect(town.thread("ops")[0]).toContain("Requested by Dana Reyes");
});

test("Older goes on above the first line shown, also when the whole log was read and is too long for one message", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry show wide");

  await clicks(town, developer, "Logs");
  const newestLines = shown(developer);
  expect(newestLines.at(-1)).toBe(12);
  expect(newestLines.length).toBeLessThan(12);
  await clicks(town, developer, "Older");
  expect(shown(developer).at(-1)).toBe((newestLines[0] ?? 0) - 1);
});

test("logs requested for me only stay private in a thread, where other answers are for everybody", async () => {
  const { developer, approver } = town;
  const { ts = "" } = await approver.says("short is slow", { channel: "ops" });
  const before = approver.sees("ops").length;
  await developer.uses("logs_into_thread", { ts });
  await town.settled();
  await clicks(town, developer, "More settings");

  await developer.submits({ name: "service/short", private: "Only me" });
  await town.settled();

  expect(shown(developer)).toEqual([1, 2, 3]);
  expect(approver.sees("ops").length).toBe(before);
});

test("when the logs can't be read, a button tries again, for everybody as before", async () => {
  const { developer, approver } = town;
  isAway = true;
  await says(town, developer, "/gantry logs away");
  expect(developer.sees("ops").at(-1)?.text).toContain("[Try again]");

  isAway = false;
  await clicks(town, developer, "Try again");
  expect(shown(approver)).toEqual([1, 2, 3]);
});
