import { expect, test } from "vitest";
import { failureLine, withFailureLine } from "../../../../../src/bot/commands/verbs/deploy/versions.ts";

const running = { before: { uid: "u1", status: "Running", revision: 3 }, backTo: undefined };
const stopped = { ...running, before: { ...running.before, status: "Stopped" } };
const back = "back to version 3 automatically if the new instances don't get ready";
const rests = "runs when it is started";
const stays = "stays as it is if the new instances don't get ready";

test.each([
  ["is stopped", stopped, false, rests],
  ["has the size 0", { ...running, before: { ...running.before, size: 0 } }, false, rests],
  ["is stopped, and was asked to stay", stopped, true, stays],
  ["runs", running, false, back],
])("what follows if a deploy fails is said of a service that %s", (_what, change, isToStay, line) => {
  expect(failureLine(change, isToStay)).toBe(line);
});

test.each([
  ["was stopped, and runs by now", rests, running, back],
  ["ran, and is stopped by now", back, stopped, rests],
  ["was asked to stay", stays, stopped, stays],
])("it is true when the deploy is sent: %s", (_what, then, found, now) => {
  expect(withFailureLine(["image a → b", then], found)).toEqual(["image a → b", now]);
});
