import { describe, expect, test } from "vitest";
import { createApi } from "../../src/api/client.ts";
import type { Call } from "../../src/api/operations.ts";
import { apiAnswering, apiOver, calls, dana, problemOf } from "./calls.ts";

describe("each status has a sentence and a next step", () => {
  test("for a read", async () => {
    const said: string[] = [];
    for (const status of [400, 401, 403, 404, 405, 409, 413, 418, 422, 429, 500, 502, 503, 504, 507]) {
      said.push((await problemOf(apiAnswering(status, null), calls.getService)).message);
    }

    expect(`\n${said.join("\n")}\n`).toMatchInlineSnapshot(`
      "
      The service did not accept the request (400). Check the values that were given and try again.
      The service did not accept the user name and token (401). The token is wrong or has expired: renew it at the service, then link the account again.
      The workload API doesn't allow this account to do that (403). Use another account, or ask your Gantry admin for the permission or a larger quota.
      The service knows no such thing (404). Check the name and the region, or list what exists.
      The service does not offer this operation (405). Tell those who run this bot: its address of the service may be wrong.
      The state it is in does not allow that, or the name is taken (409). Look at what exists and at its status; wait until it has settled, then try again.
      The request was too large for the service (413). Make it smaller and try again.
      The service refused the request (418). Check the values that were given and try again.
      The service did not accept the request (422). Check the values that were given and try again.
      The service takes no more calls from this account for now (429). Try again later; some services count calls per day.
      The service failed (500). Try again in a minute; if it stays so, tell those who run the service.
      The service is not available at the moment (502). Try again in a minute; if it stays so, tell those who run the service.
      The service is not available at the moment (503). Try again in a minute; if it stays so, tell those who run the service.
      The service did not answer in time (504). Try again in a minute; if it stays so, tell those who run the service.
      The service failed (507). Try again in a minute; if it stays so, tell those who run the service.
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
      "The service failed (500): it broke. Whether it was done is not known: look at it before you try again.",
    );
  });

  test.each([
    ["1", 1, "Try again in 1 second."],
    ["30", 30, "Try again in 30 seconds."],
    ["600", 600, "Try again in 10 minutes."],
    ["43200", 43_200, "Try again in 12 hours."],
    ["Sun, 22 Nov 2026 00:00:00 GMT", 43_200, "Try again in 12 hours."],
  ])("Retry-After %s is told", async (value, seconds, next) => {
    const now = () => Date.parse("2026-11-21T12:00:00Z");
    const answer = () => Promise.resolve(new Response("", { status: 429, headers: { "retry-after": value } }));

    const problem = await problemOf(apiOver(answer, { now }), calls.createService);

    expect(problem).toMatchObject({ retryAfterSeconds: seconds, next });
  });
});

describe("what the service says is told, fit to be shown", () => {
  const own = "The service did not accept the request (400).";
  const told = (text: string) => `The service did not accept the request (400): ${text}`;
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
    [JSON.stringify({ message: "😀".repeat(300) }), told(`${"😀".repeat(199)}…`)],
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
        'This service name cannot be sent: it is empty, "." or "..", or holds "/", "\\" or control characters.',
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
      createApi({ baseUrl: "http://service.test", fetch: never }).as(account),
      calls.listJobs,
    );

    expect(problem).toMatchObject({ kind: "invalid", maybeSent: false });
    expect(problem.message).not.toContain("secret");
  });
});

test.each(["", "service.test", "ftp://service.test", "http://u:p@service.test", "http://service.test/?a=b"])(
  "%j is no address of a service",
  (baseUrl) => {
    expect(() => createApi({ baseUrl })).toThrow(/^the address of the service (is not a URL|has a user)/u);
  },
);
