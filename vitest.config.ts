import { defineConfig } from "vitest/config";

// oxlint-disable-next-line import/no-default-export -- Vitest reads nothing else
export default defineConfig({
  test: {
    globalSetup: "test/support/global-setup.ts",
    // For what hangs. Waits end earlier, by a deadline that a busy machine moves: see until.ts.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Files share the modules of their worker: importing them for each file costs as much as the tests.
    isolate: false,
    maxWorkers: 4,
  },
});
