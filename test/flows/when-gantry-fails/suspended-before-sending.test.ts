import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, says } from "../../support/speak.ts";
import { testClock } from "../../support/test-clock.ts";

/** A clock whose time of day can be moved alone, as it is by a suspended machine, or by a person who sets it. */
function settableClock() {
  const clock = testClock();
  let aheadMs = 0;
  const now = (): Date => new Date(clock.nowMs() + aheadMs);
  return { ...clock, now, timeOfDayMoves: (ms: number) => void (aheadMs += ms) };
}

test.each([
  ["a machine suspended between claim and request", 0, 60_000],
  ["a process that was paused, even if the wall clock was set back,", 11_000, -60_000],
])("%s doesn't send it, and says so", async (_what, pausedMs, movedMs) => {
  const clock = settableClock();
  await using town = await approvalTown({
    clock,
    store: (real) => ({
      ...real,
      async advance(id, step, event) {
        const result = await real.advance(id, step, event);
        if (step.name === "claim") {
          clock.passMs(pausedMs);
          clock.timeOfDayMoves(movedMs);
        }
        return result;
      },
    }),
  });

  await says(town, town.developer, "/gantry scale web 4");

  expect(count(town, "updateService")).toBe(0);
  expect((await town.service("web")).target_instance_size).toBe(2);
  expect(card(town.developer)).toMatch(/❌.*took too long to prepare.*Nothing was sent/su);
});

test("when another replica stored the same delivery first, only what it stored may be sent", async () => {
  await using town = await approvalTown({
    store: (real) => ({
      ...real,
      async insertChange(change, event) {
        // Sealed for another id, so what this one stored can't be opened.
        await real.insertChange({ ...change, id: "7QK2MP" }, event);
        return real.insertChange(change, event);
      },
    }),
  });

  await says(town, town.developer, "/gantry scale web 4");
  // The other replica doesn't carry it on.
  town.passSeconds(21);
  await town.sweep();

  expect(count(town, "updateService")).toBe(0);
  expect(card(town.developer)).toMatch(/can't be opened/u);
});
