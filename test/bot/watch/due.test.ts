import { describe, expect, test } from "vitest";
import {
  countsAt,
  covers,
  endOfQuiet,
  isGap,
  muteOf,
  nextDigest,
  previousDigest,
  roundEveryMs,
  tellingOf,
} from "../../../src/bot/watch/due.ts";
import type { Incident } from "../../../src/bot/watch/incident.ts";
import type { Watch, WatchedEvent } from "../../../src/bot/watch/watch.ts";

const usualEvents = ["failing", "recovered", "job-failed"] as const; // literal words
const start = Date.parse("2026-11-26T10:00:00Z");
const at = (minutes: number): Date => new Date(start + minutes * 60_000);
const iso = (date: Date | undefined) => date?.toISOString().slice(11, 16);

const watch: Watch = {
  id: "W1",
  teamId: "T1",
  owner: { userId: "U1", name: "Dana" },
  source: "person",
  account: { owner: { kind: "workspace" }, username: "acme" },
  target: { kind: undefined, names: "shop-*", region: "beijing1" },
  place: { kind: "channel", channelId: "C1" },
  events: usualEvents,
  afterMs: 120_000,
  quiet: undefined,
  digest: undefined,
  createdAt: at(0),
};
const incident: Incident = {
  id: "i1",
  teamId: "T1",
  account: "acme",
  region: "beijing1",
  kind: "service",
  name: "shop-web",
  cause: "crash-loop",
  shared: undefined,
  openedAt: at(0),
  overAt: undefined,
  end: undefined,
  times: 1,
  seen: undefined,
  unseenSince: undefined,
  overUnseenSince: undefined,
  restartsBefore: undefined,
  changedBefore: undefined,
};

describe("what a watch is about", () => {
  test.each<[string, Parameters<typeof covers>[1], boolean]>([
    ["a service of its region", { account: "acme", kind: "service", region: "beijing1", name: "shop-web" }, true],
    ["that of another account", { account: "other", kind: "service", region: "beijing1", name: "shop-web" }, false],
    ["another region", { account: "acme", kind: "service", region: "beijing2", name: "shop-web" }, false],
    ["another name", { account: "acme", kind: "service", region: "beijing1", name: "web" }, false],
    ["a job, where jobs run", { account: "acme", kind: "job", region: "us", name: "shop-report" }, true],
    ["the workload API not answering", { account: "acme", kind: "service", region: "beijing1", name: undefined }, true],
  ])("%s", (_, about, isCovered) => {
    expect(covers(watch, about, "us")).toBe(isCovered);
  });

  test("services alone", () => {
    const services: Watch = { ...watch, target: { ...watch.target, kind: "service" } };
    expect(covers(services, { account: "acme", kind: "job", region: "us", name: "shop-report" }, "us")).toBe(false);
  });

  test("a digest tells of no incident", () => {
    const digest = { days: "daily", at: "09:00", zone: "UTC" } as const; // literal days
    expect(
      covers({ ...watch, digest }, { account: "acme", kind: "service", region: "beijing1", name: "shop-web" }, "us"),
    ).toBe(false);
  });
});

test.each<[string, readonly WatchedEvent[], Partial<Incident>, string | undefined]>([
  ["what fails is told after two minutes", usualEvents, {}, "10:02"],
  ["a job that failed, at once", usualEvents, { cause: "job-failed" }, "10:00"],
  ["memory, at once for who asked for it", ["out-of-memory"], { cause: "out-of-memory" }, "10:00"],
  ["memory, as any failure for others", usualEvents, { cause: "out-of-memory" }, "10:02"],
  ["what lasts isn't told to who wants ends", ["recovered"], {}, undefined],
  ["its end is", ["recovered"], { overAt: at(5) }, "10:05"],
  ["but not of what was over quickly", ["recovered"], { overAt: at(1) }, undefined],
  ["nothing for who wants other events", ["deployed"], {}, undefined],
])("when it counts: %s", (_, events, changed, when) => {
  expect(iso(countsAt({ ...watch, events }, { ...incident, ...changed }))).toBe(when);
});

const quiet = { from: "22:00", to: "07:00", zone: "Europe/Berlin" };

describe("when its time has come", () => {
  const due = { incident, countsAt: at(2), quiet: undefined, mute: undefined, wasMuted: false, now: at(2) };
  const mute = (minutes: number) => ({
    teamId: "T1",
    place: watch.place,
    names: "shop-*",
    until: at(minutes),
    by: watch.owner,
  });

  test.each<[string, Partial<Parameters<typeof tellingOf>[0]>, string]>([
    ["it lasts", {}, "tell"],
    ["it was over before, and may come back", { incident: { ...incident, overAt: at(1) } }, "wait 10:11"],
    ["it was over before, and stayed so", { incident: { ...incident, overAt: at(1) }, now: at(12) }, "drop"],
    ["it came back in between", { incident: { ...incident, overAt: at(1), times: 2 } }, "tell"],
    ["it is over by now, but lasted", { incident: { ...incident, overAt: at(4) }, now: at(5) }, "tell"],
    ["it is muted", { mute: mute(60) }, "wait 11:00"],
    ["the mute is over", { mute: mute(60), now: at(61), wasMuted: true }, "tell"],
    ["it ended while it was muted", { incident: { ...incident, overAt: at(30) }, wasMuted: true, now: at(61) }, "drop"],
    ["it is night", { quiet: { from: "09:00", to: "12:30", zone: "UTC" } }, "wait 12:30"],
  ])("%s", (_, changed, expected) => {
    const telling = tellingOf({ ...due, ...changed });
    expect(telling.kind === "wait" ? `wait ${iso(telling.until)}` : telling.kind).toBe(expected);
  });
});

test.each<[string, string, string | undefined]>([
  ["in the evening", "2026-11-26T21:30:12Z", "06:00"],
  ["after midnight", "2026-11-27T02:00:00Z", "06:00"],
  ["in the last minute", "2026-11-27T05:59:59Z", "06:00"],
  ["at its end", "2026-11-27T06:00:00Z", undefined],
  ["by day", "2026-11-27T12:00:00Z", undefined],
  ["in summer the zone has another offset", "2026-07-27T04:00:00Z", "05:00"],
])("quiet hours over midnight, %s", (_, now, end) => {
  expect(iso(endOfQuiet(quiet, new Date(now)))).toBe(end);
});

test.each([
  ["loses an hour", "2026-03-28T23:30:00Z", "2026-03-29T05:00:00.000Z"],
  ["gains an hour", "2026-10-24T22:30:00Z", "2026-10-25T06:00:00.000Z"],
])("quiet hours end at their local time in the night that %s", (_, now, end) => {
  const night = { from: "22:00", to: "07:00", zone: "Europe/Berlin" };
  expect(endOfQuiet(night, new Date(now))?.toISOString()).toBe(end);
});

test("quiet hours that end in an hour that comes twice end in the future", () => {
  const night = { from: "22:00", to: "02:30", zone: "Europe/Berlin" };
  const again = new Date("2026-10-25T01:10:00Z");
  expect(endOfQuiet(night, again)?.toISOString()).toBe("2026-10-25T01:30:00.000Z");
});

test("a zone or a time that isn't one has no quiet hours", () => {
  expect(endOfQuiet({ ...quiet, zone: "Mars/Olympus" }, at(0))).toBeUndefined();
  expect(endOfQuiet({ ...quiet, from: "25:00" }, at(0))).toBeUndefined();
});

test("the longest of the mutes that name it counts", () => {
  const mutes = [
    ["shop-*", 10],
    ["shop-web", 20],
    ["other", 30],
  ].map(([names, minutes]) => ({
    teamId: "T1",
    place: watch.place,
    names: String(names),
    until: at(Number(minutes)),
    by: watch.owner,
  }));
  expect(muteOf(mutes, "shop-web")?.until).toEqual(at(20));
  expect(muteOf(mutes, "web")).toBeUndefined();
  expect(muteOf(mutes, undefined)).toBeUndefined();
});

describe("how often a list is read", () => {
  const pace = { callsPerDay: undefined, lists: 2, tookMs: 100, failures: 0 };

  test.each<[string, Partial<typeof pace> | { readonly callsPerDay: number }, number]>([
    ["every ten seconds", {}, 10],
    ["as a thousand calls a day allow for two lists", { callsPerDay: 1_000 }, 173],
    ["a hundred calls a day", { callsPerDay: 100 }, 1_728],
    ["a list of eight seconds takes a twentieth of the time", { tookMs: 8_000 }, 160],
    ["less and less often while it fails", { failures: 3 }, 40],
    ["but at least every minute", { failures: 50 }, 60],
  ])("%s", (_, changed, seconds) => {
    expect(Math.round(roundEveryMs({ ...pace, ...changed }) / 1_000)).toBe(seconds);
  });

  test.each<[number, number, boolean]>([
    [100, 10, false],
    [121, 10, true],
    [121, 100, false],
    [301, 100, true],
  ])("after %i s at one look each %i s, nobody has looked: %s", (since, every, expected) => {
    expect(isGap(since * 1_000, every * 1_000)).toBe(expected);
  });
});

test.each([
  // Thursday noon in Berlin.
  ["daily", "09:00", "2026-11-26T11:00:00Z", "2026-11-27T08:00:00.000Z"],
  ["daily", "18:00", "2026-11-26T11:00:00Z", "2026-11-26T17:00:00.000Z"],
  ["weekdays", "09:00", "2026-11-27T11:00:00Z", "2026-11-30T08:00:00.000Z"],
  ["mondays", "09:00", "2026-11-26T11:00:00Z", "2026-11-30T08:00:00.000Z"],
  ["mondays", "09:00", "2026-11-30T08:00:00Z", "2026-12-07T08:00:00.000Z"],
  // It stays nine o'clock when clocks change.
  ["daily", "09:00", "2026-10-24T12:00:00Z", "2026-10-25T08:00:00.000Z"],
  ["daily", "09:00", "2026-03-28T12:00:00Z", "2026-03-29T07:00:00.000Z"],
] as const)("a digest that comes %s at %s is next due after %s at %s", (days, at, after, due) => {
  expect(nextDigest({ days, at, zone: "Europe/Berlin" }, new Date(after)).toISOString()).toBe(due);
});

test.each([
  ["daily", "2026-11-26T08:00:00Z", "2026-11-25T08:00:00.000Z"],
  ["weekdays", "2026-11-30T08:00:00Z", "2026-11-27T08:00:00.000Z"],
  ["mondays", "2026-11-30T08:00:00Z", "2026-11-23T08:00:00.000Z"],
] as const)("a digest that comes %s and is due at %s tells what happened since %s", (days, due, since) => {
  const digest = { days, at: "09:00", zone: "Europe/Berlin" };

  expect(previousDigest(digest, new Date(due)).toISOString()).toBe(since);
});
