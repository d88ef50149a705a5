import { stillClock } from "../../../support/test-clock.ts";
import { expect, test } from "vitest";
import type { Interaction } from "../../../../src/bot/workflow/inbox/interaction.ts";
import { beginAgain } from "../../../../src/bot/workflow/inbox/delivery.ts";
import type { WorkflowParts } from "../../../../src/bot/workflow/ports.ts";
import { createRetries } from "../../../../src/bot/workflow/inbox/unfinished.ts";

const origin = { userId: "U1", teamId: "T1", channelId: "C1" };
const interaction: Interaction = { kind: "disconnect", whose: "mine", origin };

test("each is taken when its time has come, and once", async () => {
  const clock = stillClock();
  const { keep, take } = createRetries(clock);
  keep({ id: "now", interaction, tries: 0 }, 0);
  keep({ id: "later", interaction, tries: 1 }, 5_000);

  const first = take();
  await clock.passMs(5_000);
  const second = take();

  expect([first, second, take()].map((each) => each.map(({ id }) => id))).toEqual([["now"], ["later"], []]);
});

test("what cannot be begun because too much waits already is kept for the next look", () => {
  const retries = createRetries(stillClock());
  const lanes = { add: () => false };
  const deps = { retries, lanes } as unknown as WorkflowParts; // all that it looks at
  const interrupted = { id: "Ev1", interaction, tries: 2, isLate: true };
  retries.keep(interrupted, 0);

  for (const delivery of retries.take()) beginAgain(deps, delivery);

  expect(retries.take()).toEqual([interrupted]);
});
