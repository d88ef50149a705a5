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

test("a machine suspended between claim and request doesn't send it, and says so", async () => {
  let wake = (): void => undefined;
  const clock = settableClock();
  await using town = await approvalTown({
    clock,
    store: (real) => ({
      ...real,
      async advance(id, step, event) {
        const result = await real.advance(id, step, event);
        if (step.name === "claim") wake();
        return result;
      },
    }),
  });
  wake = () => clock.timeOfDayMoves(60_000);

  await says(town, town.developer, "/gantry scale web 4");

  expect(count(town, "updateService")).toBe(0);
  expect((await town.service("web")).target_instance_size).toBe(2);
  expect(card(town.developer)).toMatch(/❌.*took too long to prepare.*Nothing was sent/su);
});

test("a process that was paused sends nothing, even if the wall clock was set back", async () => {
  let pause = (): void => undefined;
  const clock = settableClock();
  await using town = await approvalTown({
    clock,
    store: (real) => ({
      ...real,
      async advance(id, step, event) {
        const result = await real.advance(id, step, event);
        if (step.name === "claim") pause();
        return result;
      },
    }),
  });
  pause = () => {
    clock.passMs(11_000);
    clock.timeOfDayMoves(-60_000);
  };

  await says(town, town.developer, "/gantry scale web 4");

  expect(count(town, "updateService")).toBe(0);
  expect(card(town.developer)).toMatch(/❌.*took too long to prepare.*Nothing was sent/su);
});
