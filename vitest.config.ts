import { defineConfig } from "vitest/config";

const onKubernetes = "test/engines/kubernetes/**/*.test.ts";
const onDocker = "test/engines/docker/**/*.test.ts";
const inBrowser = "test/browser/**/*.test.ts";
const ofImage = "test/image/**/*.test.ts";

const onSocketsOnly = "test/flows/connections.test.ts";
const isFullRun = process.env["GANTRY_TEST"] === "all";
/** Every story is told over HTTP; over Socket Mode, all of them in a full run, and in `npm test` those of its connections. */
const onSockets = isFullRun ? ["test/flows/**/*.test.ts"] : [onSocketsOnly];

// oxlint-disable-next-line import/no-default-export -- Vitest reads nothing else
export default defineConfig({
  test: {
    globalSetup: "test/support/global-setup.ts",
    // For what hangs. Waits end earlier, by a deadline that a busy machine moves: see until.ts.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Files share the modules of their worker: importing them for each file costs as much as the tests.
    isolate: false,
    // Node runs the sources as they are, here too: Vite would transform each file, and compile it without a cache.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Each worker compiles the code anew, so on two cores a fourth one costs more than it gains, except in a full run, which waits more.
    maxWorkers: isFullRun ? 4 : 3,
    projects: [
      {
        extends: true,
        test: {
          name: "gantry",
          exclude: [onSocketsOnly, inBrowser, onKubernetes, onDocker, ofImage, "**/node_modules/**"],
        },
      },
      // A page needs a moment after a click: what it shows is asked for until it is right.
      {
        extends: true,
        test: { name: "browser", include: [inBrowser], expect: { poll: { timeout: 12_000, interval: 30 } } },
      },
      {
        extends: true,
        test: { name: "socket", include: onSockets, env: { GANTRY_TEST_TRANSPORT: "socket" } },
      },
      // On a real cluster, which has its own limit of what starts at once: after the others, and few at a time.
      {
        extends: true,
        test: { name: "kubernetes", include: [onKubernetes], maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
      // On a real Docker and Podman.
      { extends: true, test: { name: "docker", include: [onDocker], maxWorkers: 2, sequence: { groupOrder: 2 } } },
      // On a Docker of their own, which its set-up brings up.
      {
        extends: true,
        test: {
          name: "image",
          include: [ofImage],
          globalSetup: "test/image/support/global-setup.ts",
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
