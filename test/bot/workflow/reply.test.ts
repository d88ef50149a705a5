import { expect, test } from "vitest";
import { SIGN_AFTER_MS, signWhenSlow } from "../../../src/bot/workflow/reply.ts";
import { stillClock } from "../../support/test-clock.ts";
import { annHere } from "./support/desk.ts";

test("a slow request is shown as worked on until it is answered; one whose answer is on its way isn't", async () => {
  const clock = stillClock();
  const signed = () => {
    const shown: string[] = [];
    const answered = Promise.withResolvers<boolean>();
    const working = async () => {
      shown.push("works on it");
      return async () => void shown.push("done");
    };
    const responder = { working, tell: () => answered.promise };
    return { shown, answered, ...signWhenSlow({ clock: { patience: clock.after }, responder }, annHere) };
  };
  const slow = signed();
  await clock.passMs(SIGN_AFTER_MS);
  const quick = signed();

  const told = [slow, quick].map(({ responder }) => responder.tell());
  await clock.passMs(SIGN_AFTER_MS);
  for (const { answered } of [slow, quick]) answered.resolve(true);
  await Promise.all(told);

  expect(slow.shown).toEqual(["works on it", "done"]);
  expect(quick.shown).toEqual([]);
});
