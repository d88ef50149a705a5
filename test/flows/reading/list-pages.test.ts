import { afterAll, beforeAll, expect, test } from "vitest";
import { manyServices } from "../../support/many-services.ts";
import { clicks, says } from "../../support/speak.ts";
import { newest, type World, world } from "../../support/world.ts";

let town: World;
beforeAll(async () => {
  town = await world({ apiFetch: manyServices(36) });
});
afterAll(async () => town.close());

test("a list is paged by buttons, forward and back, also 31 minutes later: each click answers through its own response_url", async () => {
  const { developer } = town;

  const first = await says(town, developer, "/gantry list services");
  expect(first).toContain("1–10 of 36");
  expect(first).not.toContain("[Back]");

  const second = await clicks(town, developer, "Next");
  expect(second).toContain("11–20 of 36");
  expect(second).toContain("svc-0011");

  expect(await clicks(town, developer, "Back")).toContain("1–10 of 36");
  town.passMinutes(31);
  expect(await clicks(town, developer, "Next")).toContain("11–20 of 36");
});

test("a page is part of its own button: Next works after a restart of the bot, with the filter kept", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry list services svc --status stopped");

  await town.restartBot();
  const second = await clicks(town, developer, "Next");

  expect(second).toContain("11–12 of 12");
  expect(second).not.toContain("running");
});

test("a list is for the asker only, unless it is shared", async () => {
  const { developer, approver } = town;
  const before = approver.sees("ops").length;

  await says(town, developer, "/gantry list services");
  expect(approver.sees("ops")).toHaveLength(before);

  await says(town, developer, "/gantry list services --share");
  expect(newest(approver)).toContain("1–10 of 36");

  await clicks(town, approver, "Next");
  expect(newest(developer)).toContain("11–20 of 36");
});
