import { stillClock } from "../../../support/test-clock.ts";
import { expect, test } from "vitest";
import { createRepeats } from "../../../../src/bot/slack/receive/delivery-memory.ts";

test("an id is new once, and again after ten minutes", async () => {
  const clock = stillClock();
  const { isRepeat } = createRepeats(clock);

  expect([isRepeat("a"), isRepeat("a"), isRepeat("b")]).toEqual([false, true, false]);
  await clock.passMs(10 * 60_000 - 1);
  expect(isRepeat("a")).toBe(true);
  await clock.passMs(1);
  expect(isRepeat("a")).toBe(false);
});

test("only so many are remembered, the newest of them", () => {
  const { isRepeat } = createRepeats(stillClock());

  for (let at = 0; at <= 20_000; at += 1) isRepeat(String(at));

  expect(isRepeat("20000")).toBe(true);
  expect(isRepeat("0")).toBe(false);
});
