import { expect, test } from "vitest";
import { createOpenViews } from "../../../../src/bot/slack/modals/update-view.ts";

test("only the newest interaction in a view is current", () => {
  const views = createOpenViews();
  const web = views.changed("V1");
  const other = views.changed("V2");
  const worker = views.changed("V1");

  expect([web(), worker(), other()]).toEqual([false, true, true]);
});

test("a view that was forgotten among thousands of others counts as unchanged", () => {
  const views = createOpenViews();
  const first = views.changed("V0");
  for (let at = 1; at <= 6_000; at += 1) views.changed(`V${at}`);

  expect(first()).toBe(true);
});

test("a click that arrives after a later one is not current, and changes nothing", () => {
  const views = createOpenViews();
  const worker = views.changed("V1", "1700000000.300000");
  const web = views.changed("V1", "1700000000.000000");
  const sent = views.changed("V1");

  expect([web(), worker(), sent()]).toEqual([false, false, true]);
});
