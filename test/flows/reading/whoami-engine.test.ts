import { expect, test } from "vitest";
import { says } from "../../support/speak.ts";
import { newest, world } from "../../support/world.ts";

test("whoami names the engine of the built-in workload API, and costs no call of it", async () => {
  await using town = await world();

  await says(town, town.developer, "/gantry whoami");

  expect(newest(town.developer)).toContain(`Engine  Node processes ${process.version}`);
  expect(newest(town.developer)).toContain("Not supported  ");
  expect(newest(town.developer)).toContain("custom domains");
  expect(town.calls()).toEqual([]);
});
