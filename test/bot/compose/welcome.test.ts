import { expect, test } from "vitest";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { welcome } from "../../../src/bot/compose/run-gantry.ts";

test.each([
  ["in a checkout", { npm_lifecycle_event: "start" }, "npm run say --"],
  ["in a checkout with a settings file", { npm_lifecycle_event: "start", GANTRY_ENV_FILE: "my.env" }, "npm run say --"],
  ["in the image, which has no npm", { GANTRY_ENV_FILE: "/data/gantry.env" }, "docker exec gantry gantry say"],
])("the first steps can be typed as they are printed: %s", (_, env, say) => {
  const lines = welcome(readConfig({}), { botPort: 3000, playgroundPort: 3001 }, env).split("\n");

  expect(lines).toContain(`  ${say} "/gantry list"`);
  expect(lines).toContain(`  ${say} --as alex --click Approve`);
});
