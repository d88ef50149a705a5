import { expect, test } from "vitest";
import { linesSince, lineTime } from "../../../src/bot/logs/entries.ts";

const at = Date.parse("2026-11-20T12:00:05.250Z");

test.each([
  "2026-11-20T12:00:05.250Z INFO started",
  "2026-11-20 12:00:05,250 INFO started",
  "2026/11/20 12:00:05.250 started",
  "[2026-11-20T14:00:05.250+02:00] started",
  "2026-11-20T07:00:05.250-0500 started",
  "INFO 2026-11-20 12:00:05,250 views 31 started",
  "[INFO]  2026-11-20 12:00:05,250 started",
  "I, [2026-11-20T12:00:05.250123 #1]  INFO -- : started",
  "<165>1 2026-11-20T12:00:05.250Z host app - - started",
  "I1120 12:00:05.250123       1 main.go:12] started",
  "1:M 20 Nov 2026 12:00:05.250 * Ready to accept connections",
  "[Fri Nov 20 12:00:05.250123 2026] [core:notice] [pid 1] started",
  '{"level":"info","time":"2026-11-20T12:00:05.250Z","msg":"started"}',
  '{"level":30,"time":1795176005250,"msg":"started"}',
  '{"level":"info","ts":1795176005.250,"msg":"started"}',
  '{"t":{"$date":"2026-11-20T12:00:05.250+00:00"},"s":"I","msg":"started"}',
  '{"msg":"ends \\"time\\":\\"2026-11-19T00:00:00Z\\"","cert":{"time":"2026-11-19T00:00:00Z"},"time":"2026-11-20T12:00:05.250Z"}',
  "ts=1795176005.250 msg=started",
  'level=info ts=2026-11-20T12:00:05.250Z msg="started at 2026-11-20T11:00:00Z"',
])("%s", (line) => expect(lineTime(line, at + 60_000)).toBe(at));

test.each([
  ["an access log", '10.0.0.1 - - [20/Nov/2026:12:00:05 +0000] "GET / HTTP/1.1" 200'],
  ["syslog", "Nov 20 12:00:05 host app[1]: started"],
])("the time of %s", (_, line) => {
  expect(lineTime(line, at)).toBe(at - 250);
});

test("a time without a year is of the year that it is near to", () => {
  const newYear = Date.parse("2027-01-01T00:00:10Z");

  expect(lineTime("E1231 23:59:58.000000 1 main.go:12] no", newYear)).toBe(Date.parse("2026-12-31T23:59:58Z"));
  expect(lineTime("Dec 31 23:59:58 host app: no", newYear)).toBe(Date.parse("2026-12-31T23:59:58Z"));
});

test.each([
  "GET /orders/7 200",
  "started 12:00",
  "2026-13-45T12:00:05Z x",
  "order 1795176005250",
  "license ends 2026-11-20 12:00:05",
  "Error: license ended at 2026-11-20T12:00:05Z",
  "GET /?ts=1795176005&time=1795176005 200",
  '{"msg":"license ends","license":{"date":"2026-11-20T12:00:05Z"}}',
  'msg="license ends" at="x time=2026-11-20T12:00:05Z"',
])("%s has none", (line) => expect(lineTime(line, at)).toBeUndefined());

test.each(["2026-08-01T00:00:00Z license ended", '{"date":"2026-08-01T00:00:00Z","msg":"license ended"}'])(
  "%s has none, where it was read in November",
  (line) => {
    expect(lineTime(line, at)).toBeUndefined();
    expect(lineTime(line, Date.parse("2026-08-01T12:00:00Z"))).toBe(Date.parse("2026-08-01T00:00:00Z"));
  },
);

const since = { sinceMs: Date.parse("2026-11-20T11:30:00Z"), nowMs: Date.parse("2026-11-20T12:00:30Z") };

test("a line without a time belongs to the one before it of the same instance, or to its first one", () => {
  const lines = [
    { instance: "b", text: "Error: license ended on 2026-08-01 00:00:00" },
    { instance: "a", text: "  at lost" },
    { instance: "a", text: "2026-11-20T11:00:00Z old" },
    { instance: "b", text: "2026-11-20T12:00:00Z Error: no" },
    { instance: "a", text: "  at old" },
    { instance: "b", text: "  at new" },
  ];

  expect(linesSince(lines, since)?.map(({ text }) => text)).toEqual([
    "Error: license ended on 2026-08-01 00:00:00",
    "2026-11-20T12:00:00Z Error: no",
    "  at new",
  ]);
});

test("without any time there is no answer", () => {
  expect(linesSince([{ text: "hello" }], since)).toBeUndefined();
  expect(linesSince([], since)).toEqual([]);
});
