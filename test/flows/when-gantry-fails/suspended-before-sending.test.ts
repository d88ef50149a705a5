import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, says } from "../../support/speak.ts";
import { until } from "../../support/until.ts";

test("a machine suspended between claim and request doesn't send it, and says so", async () => {
  let wake = (): void => undefined;
  await using town = await approvalTown({
    store: (real) => ({
      ...real,
      async advance(id, step, event) {
        const result = await real.advance(id, step, event);
        if (step.name === "claim") wake();
        return result;
      },
    }),
  });
  // The wall clock advanced; `performance.now` stood still.
  wake = () => town.passMinutes(1);

  await says(town, town.developer, "/gantry scale web 4");

  expect(count(town, "updateService")).toBe(0);
  expect((await town.service("web")).target_instance_size).toBe(2);
  expect(card(town.developer)).toMatch(/❌.*took too long to prepare.*Nothing was sent/su);
});

test("a process that was paused sends nothing, even if the wall clock was set back", async () => {
  const sendWithinMs = 20;
  let sleep = (): Promise<void> => Promise.resolve();
  await using town = await approvalTown({
    store: (real) => ({
      ...real,
      sendWithinMs,
      async advance(id, step, event) {
        const result = await real.advance(id, step, event);
        if (step.name === "claim") await sleep();
        return result;
      },
    }),
  });
  sleep = () => {
    town.passMinutes(-1);
    const from = performance.now();
    return until(() => performance.now() - from > sendWithinMs);
  };

  await says(town, town.developer, "/gantry scale web 4");

  expect(count(town, "updateService")).toBe(0);
  expect(card(town.developer)).toMatch(/❌.*took too long to prepare.*Nothing was sent/su);
});
