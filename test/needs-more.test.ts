import { globSync } from "node:fs";
import { describe, test } from "vitest";
import { startingProcesses } from "./support/starting-processes.ts";

// Only in a plain `npm test`, in place of files that it doesn't run: see vitest.config.ts.
const needs = {
  browser: "Chromium: npm test -- --project browser",
  chart: "Helm: npm run test:chart",
  "engines/docker": "Docker or Podman: npm run test:engines -- docker podman",
  "engines/kubernetes": "a Kubernetes cluster: npm run test:engines -- kubernetes",
  image: "Docker: npm run test:image",
};

for (const [folder, what] of Object.entries(needs)) {
  describe(`skipped: needs ${what}`, () => {
    const files = globSync("**/*.test.ts", { cwd: new URL(`${folder}/`, import.meta.url) });
    // oxlint-disable-next-line vitest/no-disabled-tests, vitest/expect-expect -- it stands for a file that isn't loaded
    test.skip.each(files.toSorted())(`test/${folder}/%s`, () => undefined);
  });
}

describe("skipped: starts processes: npm run test:processes", () => {
  const files = globSync([...startingProcesses], { cwd: new URL("..", import.meta.url) });
  // oxlint-disable-next-line vitest/no-disabled-tests, vitest/expect-expect -- it stands for a file that isn't loaded
  test.skip.each(files.toSorted())("%s", () => undefined);
});
