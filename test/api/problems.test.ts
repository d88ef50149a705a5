import { describe, expect, test } from "vitest";
import { createApi } from "../../src/api/client.ts";
import type { Call } from "../../src/api/operations.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import { stillClock } from "../support/test-clock.ts";
import { apiAnswering, apiOver, calls, dana, problemOf } from "./calls.ts";

describe("each status has a sentence and a next step", () => {
  test("for a read", async () => {
    const said: string[] = [];
    for (const status of [400, 401, 403, 404, 405, 409, 413, 418, 422, 429, 500, 502, 503, 504, 507]) {
      said.push((await problemOf(apiAnswering(status, null), calls.getService)).message);
    }

    expect(`\n${said.join("\n")}\n`).toMatchInlineSnapshot(`
      "
      The workload API rejected the request (HTTP 400). Correct the values and try again.
      The workload API rejected the user name or token (HTTP 401). The token is wrong or expired. Connect your account again, or ask your Gantry admin to renew the shared one.
      The workload API doesn't allow this account to do that (HTTP 403). Connect another account, or ask your Gantry admin for access or a larger quota.
      The workload API didn't find it (HTTP 404). Check the name and the region.
      The workload API doesn't offer this operation (HTTP 405). Ask your Gantry admin to check WORKLOAD_API_URL.
      The workload's state doesn't allow this, or the name is taken (HTTP 409). Check its status, then try again.
      The request is too large for the workload API (HTTP 413). Make it smaller and try again.
      The workload API refused the request (HTTP 418). Correct the values and try again.
      The workload API rejected the request (HTTP 422). Correct the values and try again.
      The workload API accepts no more requests from this account for now (HTTP 429). Try again later. The limit may be per day.
      The workload API failed (HTTP 500). Try again in a minute. If this keeps happening, contact your Gantry admin.
      The workload API is unavailable (HTTP 502). Try again in a minute. If this keeps happening, contact your Gantry admin.
      The workload API is unavailable (HTTP 503). Try again in a minute. If this keeps happening, contact your Gantry admin.
      The workload API didn't answer in time (HTTP 504). Try again in a minute. If this keeps happening, contact your Gantry admin.
      The workload API failed (HTTP 507). Try again in a minute. If this keeps happening, contact your Gantry admin.
      "
    `);
  });

  test("and a write after a 5xx is unknown, after a 4xx not done", async () => {
    const outcomes: unknown[] = [];
    for (const status of [400, 404, 409, 429, 500, 501, 502, 503, 504]) {
      const { kind, maybeSent } = await problemOf(apiAnswering(status, "{}"), calls.restartService);
      outcomes.push([status, kind, maybeSent]);
    }
    const { message } = await problemOf(apiAnswering(500, '{"message":"it broke"}'), calls.restartService);

    expect(outcomes).toEqual([
      [400, "refused", false],
      [404, "refused", false],
      [409, "refused", false],
      [429, "refused", false],
      [500, "refused", true],
      [501, "refused", true],
      [502, "refused", true],
      [503, "refused", true],
      [504, "refused", true],
    ]);
    expect(message).toBe(
      "The workload API failed: it broke. It may or may not have been done. Check the workload before you try again.",
    );
  });

  test.each([
    ["1", 1, "Try again in 1 second."],
    ["30", 30, "Try again in 30 seconds."],
    ["600", 600, "Try again in 10 minutes."],
    ["43200", 43_200, "Try again in 12 hours."],
    ["Sun, 22 Nov 2026 00:00:00 GMT", 43_200, "Try again in 12 hours."],
  ])("Retry-After %s is told", async (value, seconds, next) => {
    const clock = stillClock(new Date("2026-11-21T12:00:00Z"));
    const answer = () => Promise.resolve(new Response("", { status: 429, headers: { "retry-after": value } }));

    const problem = await problemOf(apiOver(answer, { clock }), calls.createService);

    expect(problem).toMatchObject({ retryAfterSeconds: seconds, next });
  });
});

describe("what the service says is told, fit to be shown", () => {
  const own = "The workload API rejected the request (HTTP 400).";
  const told = (text: string) => `The workload API rejected the request: ${text}`;
  const cases: [string, string][] = [
    ['{"message":"image is unknown"}', told("image is unknown.")],
    ['{"message":"Why not? "}', told("Why not?")],
    ['{"error":"bad image"}', told("bad image.")],
    ['{"error":{"code":7,"message":"bad image"}}', told("bad image.")],
    ['{"errors":["one","two"]}', told("one.")],
    ['{"errors":[{"message":"one"}]}', told("one.")],
    ['{"errors":{"image":["is required"]}}', told("is required.")],
    ['{"title":"Bad Request","detail":"no such disk"}', told("no such disk.")],
    ['{"title":"Bad Request"}', told("Bad Request.")],
    ['"just text"', told("just text.")],
    ["no such image\n", told("no such image.")],
    ['{"message":"two\\nlines\\u0000 and \\u001b[31mred\\u202e"}', told("two lines and [31mred.")],
    ['{"message":"got \\"<nil>\\""}', told('got "<nil>".')],
    [JSON.stringify({ message: `token ${dana.token} is bad` }), told("token [token] is bad.")],
    [JSON.stringify({ message: `a\u200b ${dana.token.slice(0, 5)}\u200b${dana.token.slice(5)}` }), told("a [token].")],
    [JSON.stringify({ message: "😀".repeat(1_000) }), told(`${"😀".repeat(1_000)}.`)],
    // Half of a word may be half of a secret.
    [JSON.stringify({ message: `${"word ".repeat(199)}hunter2-hunter2` }), told(`${"word ".repeat(199).trimEnd()}…`)],
    [JSON.stringify({ message: "😀".repeat(1_001) }), told(`${"😀".repeat(999)}…`)],
    ["x".repeat(201), own],
    ["<html><body>Bad Request</body></html>", own],
    ['{"message":"<p>no</p>"}', own],
    ['{"message":""}', own],
    ['{"message":{"a":{"b":{"c":{"d":"too deep"}}}}}', own],
    ['{"code":7}', own],
    ["[]", own],
    ["null", own],
    ["", own],
    ["\u0000\u0001", own],
  ];

  test.each(cases)("%s", async (body, sentence) => {
    const problem = await problemOf(apiAnswering(400, body), calls.createJob);

    expect(problem.sentence).toBe(sentence);
  });
});

describe("a call that could never be right is not sent", () => {
  const never = () => Promise.reject(new Error("it was sent"));
  const named = (service_name: string): Call => ({ ...calls.getService, path: { region: "us", service_name } });

  test.each(["", ".", "..", "a/b", "/", "a\\b", "a\u0000b", "a\nb", "\u0085", "\u{d800}"])(
    "the name %j",
    async (name) => {
      const problem = await problemOf(apiOver(never), named(name));

      expect(problem).toMatchObject({ kind: "invalid", maybeSent: false });
      expect(problem.sentence).toBe(
        `This service name can't be used: it is empty, "." or "..", or contains "/", "\\" or control characters.`,
      );
    },
  );

  test.each<Call>([
    { ...calls.listJobs, path: { region: ".." } },
    { ...calls.deleteJob, path: { region: "us", job_name: "../services" } },
    { ...calls.getJobInstanceLogs, path: { region: "us", job_name: "a", instance_name: "." } },
  ])("a bad part of the path of $op", async (call) => {
    expect((await problemOf(apiOver(never), call)).kind).toBe("invalid");
  });

  test("a stored call whose path lacks a part", async () => {
    const { path: _, ...rest } = calls.deleteService;
    const call = { ...rest, path: { region: "us" } } as unknown as Call; // as an older version may have stored it

    expect(await problemOf(apiOver(never), call)).toMatchObject({ kind: "invalid", maybeSent: false });
  });

  test.each(["web..", "...", "%2e%2e", "Wéb", "a b", "x".repeat(255)])(
    "the odd name %j is the service's to judge",
    async (name) => {
      const problem = await problemOf(apiAnswering(404, null), named(name));

      expect(problem.status).toBe(404);
    },
  );

  test.each([
    { username: "", token: "t" },
    { username: "dana", token: "" },
    { username: "dana", token: "secret\r\nx: y" },
    { username: "d\u4e2d", token: "t" },
    { username: "dana", token: " padded-secret " },
  ])("the account %j", async (account) => {
    const problem = await problemOf(
      createApi({ baseUrl: "http://service.test", send: sendTo(never) }).as(account),
      calls.listJobs,
    );

    expect(problem).toMatchObject({ kind: "invalid", maybeSent: false });
    expect(problem.message).not.toContain("secret");
  });
});

test.each(["", "service.test", "ftp://service.test", "http://u:p@service.test", "http://service.test/?a=b"])(
  "%j is no address of a service",
  (baseUrl) => {
    expect(() => createApi({ baseUrl })).toThrow(/^WORKLOAD_API_URL must (start with http|have no user)/u);
  },
);

describe("who is refused by a rule is told what helps", () => {
  test.each([
    ["exceeded quota: few, used: pods=3, limited: pods=3", "Use less, or ask your Gantry admin for a larger quota."],
    ["images come from registry.example.com here", "If you need this, ask your Gantry admin."],
    ["nothing stops on a Friday. Nothing was changed. Ask Alex.", "Ask Alex."],
  ])("%s", async (message, next) => {
    const problem = await problemOf(apiAnswering(403, JSON.stringify({ message })), calls.createJob);

    expect(problem.next).toBe(next);
  });
});

test("after a 5xx nobody knows whether a write was done, whatever the workload API says, and it says nothing empty", async () => {
  const message = "the engine is gone. Nothing was changed. Ask Alex.";
  const failed = await problemOf(apiAnswering(503, JSON.stringify({ message })), calls.createJob);
  const empty = await problemOf(apiAnswering(400, '{"message":"Nothing was changed."}'), calls.createJob);

  expect(failed.message).toBe(
    "The workload API is unavailable: the engine is gone. It may or may not have been done. Check the workload before you try again.",
  );
  expect(empty.message).toBe("The workload API rejected the request (HTTP 400). Correct the values and try again.");
});
