import { expect, test } from "vitest";
import { createLog, recentErrorsOf } from "../../src/platform/log.ts";

function logged(secrets: readonly string[], write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog({ level: "debug", secrets, to: { write: (line) => void lines.push(line) } }));
  return lines.join("");
}

test.each([
  ["a Slack token anywhere", (token: string) => ({ some: { deep: [`sent ${token}`] } }), "xoxb-12-34-abcDEF"],
  ["a Slack app token", (token: string) => ({ a: token }), "xapp-1-A0-abcDEF"],
  ["a header", (token: string) => ({ headers: { authorization: `token ${token}` } }), "abcdefghij"],
  ["a header in a text", (token: string) => ({ text: `Authorization: Bearer ${token}, and more` }), "abcdefghij"],
  ["a field that is a token", (token: string) => ({ apiToken: token, token }), "hunter22"],
  ["a field that is a secret", (token: string) => ({ signing_secret: token }), "deadbeef"],
  ["a response_url", (token: string) => ({ response_url: `https://x.example/${token}` }), "T0/B0"],
  ["a responseUrl", (token: string) => ({ run: { responseUrl: `http://127.0.0.1/${token}` } }), "R123"],
  [
    "an address of Slack's in a text",
    (token: string) => ({ text: `at https://hooks.slack.com/${token}` }),
    "commands/T0/1",
  ],
  ["an error's message", (token: string) => ({ err: new Error(`bad ${token}`) }), "xoxb-12-34-abcDEF"],
])("%s is not readable in the log", (_, data, secret) => {
  const line = logged([], (log) => log.error(data(secret), "something happened"));

  expect(line).not.toContain(secret);
  expect(JSON.parse(line)).toMatchObject({ msg: "something happened" });
});

test("what the configuration calls secret is taken out of messages, stacks and keys alike", () => {
  const secret = 'quo"zebra\\secret';
  const line = logged([secret], (log) => {
    log.warn({ err: new Error(`it said ${secret}`), [secret]: 1 }, `a text with ${secret}`);
  });

  expect(line).not.toContain("zebra");
  expect(JSON.parse(line)).toMatchObject({ level: 40 });
});

test("what is no secret stays", () => {
  const line = logged(["unused-secret"], (log) => log.info({ verb: "list", ms: 3, reference: "abcd" }, "done"));

  expect(JSON.parse(line)).toEqual({
    level: 30,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u),
    verb: "list",
    ms: 3,
    reference: "abcd",
    msg: "done",
  });
});

test("errors and warnings with a reference are remembered for the status, newest first, without what people typed", () => {
  const log = createLog({ level: "info", secrets: ["hunter2-hunter2"], to: { write: () => undefined } });
  log.info("nothing");
  log.warn("a warning without a reference");
  log.warn({ reference: "aa11", kind: "refused", status: 404, op: "getService" }, "an unknown name");
  log.warn({ reference: "bb22", kind: "timeout", op: "listJobs" }, "the workload API failed or refused");
  log.error({ err: new Error("about hunter2-hunter2"), typed: "secret words", reference: "cc33" }, "internal error");
  for (let more = 0; more < 18; more += 1) log.error("another one");

  const errors = recentErrorsOf(log);

  expect(errors).toHaveLength(20);
  expect(errors.slice(-2)).toEqual([
    { at: expect.stringMatching(/^\d{4}-/u), says: "internal error", reference: "cc33" },
    { at: expect.any(String), says: "the workload API failed or refused (listJobs, timeout)", reference: "bb22" },
  ]);
});
