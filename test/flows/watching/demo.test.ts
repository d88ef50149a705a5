import { expect, test } from "vitest";
import { createDemo } from "../../../src/bot/compose/stand-ins/local-service.ts";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { createLog } from "../../../src/platform/log.ts";
import { onlyInFullRuns } from "../../support/full-run.ts";
import { stillClock } from "../../support/test-clock.ts";
import { world } from "../../support/world.ts";

// A real crash loop takes twenty seconds.
onlyInFullRuns();

test("the demo shows an incident and its recovery without anybody typing", async () => {
  await using town = await world();
  const clock = stillClock();
  const { settings } = readConfig({});
  const log = createLog({ level: "error", secrets: [], to: { write: () => undefined } });
  const { dataDir } = town;
  const card = (): string => town.developer.sees("ops").find(({ text }) => text.includes("checkout"))?.text ?? "";
  const shows = (what: RegExp) =>
    town.until(async () => {
      await town.sweep();
      return what.test(card());
    });

  await createDemo(town.api, { dataDir, settings, log, store: town.store(), clock });
  await shows(/^🔴 checkout keeps crashing/u);
  await clock.passMs(60_000);
  await shows(/^🟢 checkout recovered after /u);
  await createDemo(town.api, { dataDir, settings, log, store: town.store(), clock });

  expect(card()).toMatch(/It kept crashing/u);
  expect(await town.store().allWatches()).toHaveLength(1);
});
