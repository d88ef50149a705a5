import { expect, test } from "vitest";
import { linesSince, lineTime } from "../../../src/bot/logs/entries.ts";

const at = Date.parse("2026-11-20T12:00:05.250Z");

test.each([
  "2026-11-20T12:00:05.250Z INFO started",
  "2026-11-20 12:00:05,250 INFO started",
  "2026/11/20 12:00:05.250 started",
  "[2026-11-20T14:00:05.250+02:00] started",
  "2026-11-20T07:00:05.250-0500 started",
  '{"level":"info","time":"2026-11-20T12:00:05.250Z","msg":"started"}',
  '{"level":30,"time":1795176005250,"msg":"started"}',
  "ts=1795176005.250 msg=started",
])("%s", (line) => expect(lineTime(line)).toBe(at));

test("the time of an access log", () => {
  expect(lineTime('10.0.0.1 - - [20/Nov/2026:12:00:05 +0000] "GET / HTTP/1.1" 200')).toBe(at - 250);
});

test.each(["GET /orders/7 200", "started 12:00", "2026-13-45T12:00:05Z x", "order 1795176005250"])(
  "%s has none",
  (line) => expect(lineTime(line)).toBeUndefined(),
);

test("a line without a time belongs to the one before it of the same instance", () => {
  const lines = [
    { instance: "a", text: "2026-11-20T11:00:00Z old" },
    { instance: "b", text: "2026-11-20T12:00:00Z Error: no" },
    { instance: "a", text: "  at old" },
    { instance: "b", text: "  at new" },
  ];

  expect(linesSince(lines, Date.parse("2026-11-20T11:30:00Z"))?.map(({ text }) => text)).toEqual([
    "2026-11-20T12:00:00Z Error: no",
    "  at new",
  ]);
});

test("without any time there is no answer", () => {
  expect(linesSince([{ text: "hello" }], 0)).toBeUndefined();
  expect(linesSince([], 0)).toEqual([]);
});
