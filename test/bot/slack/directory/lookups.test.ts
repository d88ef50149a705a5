import { stillClock } from "../../../support/test-clock.ts";
import { WebAPIRateLimitedError } from "@slack/web-api";
import { expect, test } from "vitest";
import { createPace } from "../../../../src/bot/slack/directory/lookups.ts";
import { createBackOff } from "../../../../src/bot/slack/send/call.ts";

/** A clock that only moves when somebody waits or the test says so. */
function paced() {
  const clock = stillClock();
  const waits: number[] = [];
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms);
    await clock.passMs(ms);
  };
  const pace = createPace({ wait, backOff: createBackOff(clock) });
  let called = 0;
  const list = (): Promise<void> =>
    pace("usergroups.list", () => {
      called += 1;
      return Promise.resolve();
    });
  return { list, pace, waits, called: () => called, pass: clock.passMs };
}

test("a method is asked as often as Slack answers it", async () => {
  const { list, called } = paced();
  for (let at = 0; at < 200; at += 1) await list();

  expect(called()).toBe(200);
});

test("a call that may leave within a second waits for it", async () => {
  const { list, pace, called, waits, pass } = paced();
  const refused = pace("usergroups.list", () => Promise.reject(new WebAPIRateLimitedError(30)));
  await expect(refused).rejects.toThrow(WebAPIRateLimitedError);
  await pass(29_400);

  await list();

  expect(waits).toEqual([600]);
  expect(called()).toBe(1);
});

test("after a 429 nothing is asked until its Retry-After is over, and other methods go on", async () => {
  const { list, pace, called, pass } = paced();
  const refused = pace("usergroups.list", () => Promise.reject(new WebAPIRateLimitedError(30)));
  await expect(refused).rejects.toThrow(WebAPIRateLimitedError);

  await expect(list()).rejects.toMatchObject({ retryAfter: 30 });
  expect(await pace("conversations.members", () => Promise.resolve("dana"))).toBe("dana");
  expect(called()).toBe(0);
  await pass(30_000);
  await list();
  expect(called()).toBe(1);
});

test("a Retry-After of hours holds a lookup back for ten minutes, because nobody could do anything until then", async () => {
  const { list, pace, called, pass } = paced();
  const refused = pace("usergroups.list", () => Promise.reject(new WebAPIRateLimitedError(86_400)));
  await expect(refused).rejects.toThrow(WebAPIRateLimitedError);

  await pass(10 * 60_000);
  await list();
  expect(called()).toBe(1);
});
