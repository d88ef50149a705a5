import { globSync } from "node:fs";
import { describe, test } from "vitest";
import { startingProcesses } from "./support/starting-processes.ts";

// Only in a plain `npm test`, in place of files that it doesn't run: see vitest.config.ts.
const left: Readonly<Record<string, readonly string[]>> = {
  "needs PostgreSQL: npm test -- --project postgres": ["test/**/on-postgres.test.ts"],
  "needs Chromium: npm test -- --project browser": ["test/browser/**/*.test.ts"],
  "needs Helm: npm run test:chart": ["test/chart/**/*.test.ts"],
  "needs Docker or Podman: npm run test:engines -- docker podman": ["test/engines/docker/**/*.test.ts"],
  "needs a Kubernetes cluster: npm run test:engines -- kubernetes": ["test/engines/kubernetes/**/*.test.ts"],
  "needs Docker: npm run test:image": ["test/image/**/*.test.ts"],
  "starts processes: npm run test:processes": startingProcesses,
};

for (const [why, patterns] of Object.entries(left)) {
  describe(`skipped: ${why}`, () => {
    const files = globSync([...patterns], { cwd: new URL("..", import.meta.url) });
    // oxlint-disable-next-line vitest/no-disabled-tests, vitest/expect-expect -- it stands for a file that isn't loaded
    test.skip.each(files.toSorted())("%s", () => undefined);
  });
}
