import { expect, test } from "vitest";
import { machineClock } from "../../src/platform/clock.ts";
import { BEGINNING, stillClock, testClock } from "../support/test-clock.ts";

test("the machine's clock sleeps, runs later, and limits", async () => {
  const before = machineClock.elapsedMs();
  await machineClock.sleep(5);
  const { promise, resolve } = Promise.withResolvers<void>();
  machineClock.after(1, resolve);
  await promise;
  const limit = machineClock.limit(1);
  await new Promise((aborted) => limit.addEventListener("abort", aborted));

  expect(machineClock.elapsedMs() - before).toBeGreaterThan(4);
  expect(limit.reason).toMatchObject({ name: "TimeoutError" });
});

test("only a sleep keeps the process alive", async () => {
  const alive = (): number => process.getActiveResourcesInfo().filter((what) => what === "Timeout").length;
  const before = alive();
  machineClock.after(60_000, () => undefined).cancel();
  const later = machineClock.after(60_000, () => undefined);
  machineClock.limit(60_000);
  expect(alive()).toBe(before);

  const waking = new AbortController();
  const asleep = machineClock.sleep(60_000, waking.signal).catch(() => undefined);
  expect(alive()).toBe(before + 1);
  waking.abort();
  await asleep;
  later.cancel();
  expect(alive()).toBe(before);
});

test("a sleep ends with the signal's reason, also when it was aborted before", async () => {
  const gone = new Error("gone");
  const leaving = new AbortController();
  const asleep = machineClock.sleep(60_000, leaving.signal);
  leaving.abort(gone);

  await expect(asleep).rejects.toBe(gone);
  await expect(machineClock.sleep(60_000, AbortSignal.abort(gone))).rejects.toBe(gone);
});

test("a month is no timer that runs at once", async () => {
  let ran = false;
  const timer = machineClock.after(2 ** 31 + 1, () => void (ran = true));
  await machineClock.sleep(5);
  timer.cancel();

  expect(ran).toBe(false);
});

test("a clock that stands still moves from timer to timer", async () => {
  const clock = stillClock();
  const seen: string[] = [];
  const late = clock.limit(2_500);
  const loop = (async () => {
    for (;;) {
      await clock.sleep(1_000, late);
      seen.push(clock.now().toISOString().slice(14, 19));
    }
  })();
  clock.after(500, () => seen.push("first"));
  clock.after(600, () => seen.push("cancelled")).cancel();

  const ended = loop.catch((error: unknown) => error);

  await clock.passMs(2_600);

  expect(await ended).toMatchObject({ name: "TimeoutError" });
  expect(seen).toEqual(["first", "00:01", "00:02"]);
  expect(clock.nowMs() - BEGINNING.getTime()).toBe(2_600);
});

test("a clock that goes on does at once what is due when it is moved", async () => {
  const clock = testClock();
  const asleep = clock.sleep(24 * 60 * 60_000);
  clock.passMs(24 * 60 * 60_000);
  await asleep;

  expect(clock.now().toISOString().slice(0, 16)).toBe("2026-12-03T13:00");
});
