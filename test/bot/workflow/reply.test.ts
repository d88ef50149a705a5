import { expect, test } from "vitest";
import { WORKING_AFTER_MS, workingWhenSlow } from "../../../src/bot/workflow/reply.ts";
import { stillClock } from "../../support/test-clock.ts";
import { annHere } from "./support/desk.ts";

test("a slow request is shown as worked on until it is answered; one whose answer is on its way isn't", async () => {
  const clock = stillClock();
  const working = () => {
    const shown: string[] = [];
    const answered = Promise.withResolvers<boolean>();
    const working = async () => {
      shown.push("works on it");
      return async () => void shown.push("done");
    };
    const responder = { working };
    return { shown, answered, ...workingWhenSlow({ clock: { patience: clock.after }, responder }, annHere) };
  };
  const slow = working();
  await clock.passMs(WORKING_AFTER_MS);
  const quick = working();

  const told = [slow, quick].map(({ answered, replacedBy }) => replacedBy(() => answered.promise));
  await clock.passMs(WORKING_AFTER_MS);
  for (const { answered } of [slow, quick]) answered.resolve(true);
  await Promise.all(told);

  expect(slow.shown).toEqual(["works on it", "done"]);
  expect(quick.shown).toEqual([]);
});
