import { describe, expect, test } from "vitest";
import { parseText } from "../../../../../src/bot/commands/grammar/parse.ts";
import { muteEnd } from "../../../../../src/bot/commands/verbs/watch/watch-words.ts";

function wish(text: string) {
  const { command, ask } = parseText(text);
  if (command.effect !== "watch") throw new Error(`${text} is about no watch`);
  return command.wish(ask);
}

const web = { kind: undefined, name: "web" };
const all = { kind: undefined, name: "*" };

describe("watch", () => {
  test.each([
    ["watch web", { target: web, place: "here", events: ["failing", "recovered", "job-failed"], afterMs: 120_000 }],
    ["watch service web", { target: { kind: "service", name: "web" } }],
    ['watch "shop-*" --dm', { target: { kind: undefined, name: "shop-*" }, place: "dm" }],
    ["watch job/report-*", { target: { kind: "job", name: "report-*" } }],
    ["watch all", { target: all }],
    ["watch everything", { target: all }],
    ["watch service/*", { target: { kind: "service", name: "*" } }],
    ["watch web --on failing,deployed --after 0", { events: ["failing", "deployed"], afterMs: 0 }],
    ["watch web --on all", { events: expect.arrayContaining(["restarts", "out-of-memory", "changed"]) }],
    ["watch web --after 90s", { afterMs: 90_000 }],
    ["watch web --after 1h", { afterMs: 3_600_000 }],
    ["watch web --in <#C0OPS|ops>", { place: { channelId: "C0OPS" } }],
    ["watch web --quiet 10pm-7am", { quiet: { from: "22:00", to: "07:00" } }],
    ["watch --digest weekdays 9am", { digest: { days: "weekdays", at: "09:00" } }],
    ["watch web --quiet 22:00-7:00", { quiet: { from: "22:00", to: "07:00" } }],
    ["watch --digest weekdays 09:00", { target: all, events: [], digest: { days: "weekdays", at: "09:00" } }],
    ["watch --digest daily", { digest: { days: "daily", at: "09:00" } }],
    ["watch web --digest mondays 8:30", { target: web, events: [], digest: { days: "mondays", at: "08:30" } }],
  ])("%s", (text, expected) => {
    expect(wish(text)).toMatchObject({ kind: "watch", ...expected });
  });

  test.each([
    ["watch", /needs a workload/u],
    ["watch a/b/c", /Not a workload name/u],
    ["watch <!channel>", /“<!channel>” can't be the name of a workload\. Name one, a pattern such as shop-\*, or all/u],
    ["watch shop-*,web", /“shop-\*,web” can't be the name/u],
    ['watch "web worker"', /“web worker” can't be the name/u],
    ["mute <#C0OPS|ops> 2h", /“<#C0OPS\|ops>” can't be the name/u],
    ["unwatch *<@U0ALEX>*", /can't be the name/u],
    ["watch web --on failling", /--on takes failing, recovered.*Did you mean “failing”/u],
    ["watch web --on ,", /--on takes/u],
    ["watch web --after 2", /--after takes a time up to 24h/u],
    ["watch web --after 25h", /--after takes a time up to 24h/u],
    ["watch web --in ops", /isn't a channel. Type # after --in/u],
    ["watch web --in <#C0OPS> --dm", /not both/u],
    ["watch web --quiet 22:00", /two times of a day/u],
    ["watch web --quiet 22:00-22:00", /two times of a day/u],
    ["watch web --quiet 25:00-07:00", /two times of a day/u],
    ["watch --digest sometimes", /--digest takes daily, weekdays or mondays/u],
    ["watch --digest daily 25:00", /--digest takes daily, weekdays or mondays/u],
    ["watch web --digest daily --on failing", /--digest is one summary, so it takes no --on/u],
    ["watch web 09:00", /A time belongs to --digest/u],
    ["watch web worker", /watch takes one workload\. Watch each one, or all with such a name: "shop-\*"\./u],
    ["watch web db cache", /doesn't take `cache`/u],
  ])("%s is told how it is written", (text, sentence) => {
    expect(() => parseText(text)).toThrow(sentence);
  });
});

test.each([
  ["unwatch web", { kind: "unwatch", target: web, place: "here" }],
  ["unwatch all --dm", { kind: "unwatch", target: all, place: "dm" }],
  ["mute web", { kind: "mute", target: web, until: { forMs: 3_600_000 } }],
  ["mute web 2h", { kind: "mute", until: { forMs: 7_200_000 } }],
  ["mute web for 30 minutes", { until: { forMs: 1_800_000 } }],
  ["mute web --for 30m", { until: { forMs: 1_800_000 } }],
  ["mute web --until 18:00", { until: { time: "18:00" } }],
  ["mute web until 18:00", { until: { time: "18:00" } }],
  ["mute web until 2026-12-01", { until: { day: "2026-12-01", time: "00:00" } }],
  ["mute web until 2026-12-01 09:30", { until: { day: "2026-12-01", time: "09:30" } }],
  ["mute web until tomorrow", { until: { day: "tomorrow", time: "09:00" } }],
  ["mute web until tomorrow at 18:00", { until: { day: "tomorrow", time: "18:00" } }],
  ["mute web until monday", { until: { day: "monday", time: "09:00" } }],
  ["mute web until Mon 8 am", { until: { day: "monday", time: "08:00" } }],
  ["mute web until 3pm", { until: { time: "15:00" } }],
  ["mute web until 12:30 am", { until: { time: "00:30" } }],
  ["mute all off", { target: all, until: "off" }],
  ["unmute web", { kind: "mute", target: web, place: "here", until: "off" }],
  ["unmute all --dm", { kind: "mute", target: all, place: "dm", until: "off" }],
])("%s", (text, expected) => {
  expect(wish(text)).toMatchObject(expected);
});

test.each([
  ["mute", /needs a workload/u],
  ["mute web 31d", /A mute lasts for up to 30 days\./u],
  ["mute web 9999w", /A mute lasts for up to 30 days\./u],
  ["mute web 2h --for 30m", /I can't read how long/u],
  ["mute web 0m", /A mute lasts for up to 30 days: write 30m or 2h, or off to end it\./u],
  ["mute web -2h", /I can't read how long/u],
  ["unmute", /needs a workload/u],
  ["mute web until 2026-02-30", /I can't read how long/u],
  ["mute web for ever", /I can't read how long/u],
  ["mute web until 18", /I can't read how long/u],
  ["mute web until 13pm", /I can't read how long/u],
  ["mute web until someday", /I can't read how long/u],
])("%s is told how it is written", (text, sentence) => {
  expect(() => parseText(text)).toThrow(sentence);
});

/** Noon in Berlin. */
const now = new Date("2026-11-26T11:00:00Z");

test.each([
  [{ forMs: 60_000 }, "2026-11-26T11:01:00.000Z"],
  [{ time: "18:00" }, "2026-11-26T17:00:00.000Z"],
  [{ time: "09:00" }, "2026-11-27T08:00:00.000Z"],
  [{ day: "tomorrow", time: "09:00" }, "2026-11-27T08:00:00.000Z"],
  [{ day: "monday", time: "09:00" }, "2026-11-30T08:00:00.000Z"],
  // It is a Thursday.
  [{ day: "thursday", time: "18:00" }, "2026-11-26T17:00:00.000Z"],
  [{ day: "thursday", time: "09:00" }, "2026-12-03T08:00:00.000Z"],
  [{ day: "2026-12-01", time: "00:00" }, "2026-11-30T23:00:00.000Z"],
])("a mute until %j ends by the clock of whoever asked", (until, end) => {
  expect(muteEnd(until, now, "Europe/Berlin").toISOString()).toBe(end);
});
