import { describe, expect, test } from "vitest";
import { findFailures } from "../../../src/bot/logs/failures.ts";
import { redact } from "../../../src/bot/logs/redact.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const at = "2026-11-21T11:59:30Z";

/** What the errors among these lines say, each as often as it is counted. */
function errorsIn(...lines: readonly string[]): string[] {
  const { failures } = findFailures({
    lines: lines.map((line) => ({ text: redact(line) })),
    mayHaveOlder: false,
    nowMs: now,
    startMs: now - 3_600_000,
  });
  return failures.flatMap(({ message, count }) => Array.from({ length: count }, () => message)).toReversed();
}

describe("the level of a line says whether it is an error, whatever words it has", () => {
  test.each([
    `${at} INFO retried 3 failed orders`,
    `${at} [warn] 31#31: *1 upstream timed out, connection refused`,
    `${at} UTC [31] LOG:  checkpoint of a failed transaction`,
    `INFO the last error was cleared`,
    "W1121 11:59:30.000000       1 pod.go:12] failed to sync, error: no",
    "[11:59:30 WRN] request failed",
    "I, [2026-11-21T11:59:30.000123 #1]  INFO -- : no exception, was killed before",
    "[2026-11-21T11:59:30Z WARN shop] fatal is not what this is",
    "info: Shop.Orders[0] failed orders are retried",
    "2026-11-21 11:59:30,000 - shop.orders - WARNING - payment refused",
    `${at}  INFO 1 --- [main] shop.Orders : error page mapped`,
    "INFO[0005] the error rate is 0.1",
    'level=info ts=2026-11-21T11:59:30Z msg="error rate" value=0.1',
    `${at} level=warn msg="connection refused" err="no route"`,
    '{"level":"info","msg":"the error was handled","error":"no route"}',
    '{"level":30,"msg":"failed before"}',
    '{"severity":"WARNING","message":"crash report sent"}',
    '{"severity":4,"message":"crash report sent"}',
    '{"t":{"$date":"2026-11-21T11:59:30Z"},"s":"W","msg":"operation failed"}',
  ])("none: %s", (line) => {
    expect(errorsIn(line)).toEqual([]);
  });

  test.each([
    [`${at} ERROR order 7 was given up`, "order 7 was given up"],
    [`${at} [error] 31#31: *1 no live upstreams`, "31#31: *1 no live upstreams"],
    [`${at} UTC [31] ERROR:  relation "a" isn't there`, 'relation "a" isn\'t there'],
    ["E1121 11:59:30.000000       1 pod.go:12] no such pod", "no such pod"],
    ["F1121 11:59:30.000000       1 main.go:2] no such flag", "no such flag"],
    ["[11:59:30 ERR] no route", "no route"],
    ["fail: Shop.Orders[0] no route", "Shop.Orders[0] no route"],
    ["[Sat Nov 21 11:59:30.123456 2026] [core:error] [pid 35708] no route", "[pid 35708] no route"],
    ["2026-11-21 11:59:30,000 - shop.orders - ERROR - no route", "no route"],
    ["ERRO[0005] no route", "no route"],
    ['level=error ts=2026-11-21T11:59:30Z msg="no route" err="host away"', "no route: host away"],
    ["t=2026-11-21T11:59:30+0000 lvl=eror msg=away", "away"],
    ['{"level":"error","msg":"no route"}', "no route"],
    ['{"level":50,"msg":"no route"}', "no route"],
    ['{"severity":"CRITICAL","message":"no route"}', "no route"],
    ['{"lvl":"fatal","msg":"no route"}', "no route"],
    ['{"t":{"$date":"2026-11-21T11:59:30Z"},"s":"E","msg":"no route"}', "no route"],
    [`${at} {"level":"error","msg":"no route"}`, "no route"],
    ['{"msg":"no route","error":"host away"}', "no route"],
  ])("one: %s", (line, message) => {
    expect(errorsIn(line)).toEqual([message]);
  });
});

test.each([
  '{"msg":"done","error":""}',
  '{"msg":"done","error":null,"failed":false}',
  '{"msg":"done","errors":[],"exception":{}}',
  '{"msg":"done","errors":0}',
  "msg=done error= took=3",
  'msg=done err="" took=3',
  "done: errors=0, 0 failures, error: none",
  "[gantry] nightly-1 exited with code 0",
])("without a level, %s is no error", (line) => {
  expect(errorsIn(line)).toEqual([]);
});

test("words say it where no level does", () => {
  expect(errorsIn("connection refused", "Unhandled: Error: boom", "order 7 failed", "pong")).toEqual([
    "connection refused",
    "boom",
    "order 7 failed",
  ]);
});

test("the stack of a warning is none, and the crash after a line of another level is one", () => {
  expect(
    errorsIn(
      `${at} INFO began`,
      `${at} WARN retrying`,
      "java.io.IOException: connection refused",
      "\tat shop.Errors.fail(Errors.java:3)",
      "Caused by: java.net.ConnectException: refused",
      `${at} INFO serving`,
      "Error: lost the database",
      "    at connect (/app/main.js:3:9)",
    ),
  ).toEqual(["lost the database"]);
});

test("an error whose text has a date was not then", () => {
  const { recent } = findFailures({
    lines: [{ text: redact("Error: license ended at 2026-08-01T00:00:00Z") }, { text: redact(`${at} serving`) }],
    mayHaveOlder: false,
    nowMs: now,
    startMs: now - 11_000,
  });

  expect(errorsIn("2026-08-01T00:00:00Z ERROR license ended")).toEqual(["license ended"]);
  expect(recent).toBeDefined();
});
