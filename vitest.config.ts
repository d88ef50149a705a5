import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const onKubernetes = "test/engines/kubernetes/**/*.test.ts";
const onDocker = "test/engines/docker/**/*.test.ts";
const inBrowser = "test/browser/**/*.test.ts";
const ofImage = "test/image/**/*.test.ts";

const onSocketsOnly = "test/flows/connections.test.ts";
/** Every story is told over HTTP. In a full run those are told over Socket Mode too that it may change: */
const alsoOnSockets = [
  // one of each kind of interaction, with what its ack says,
  ["approvals", "card-buttons", "connect", "forms", "forms-sent", "home", "mentions", "pickers", "shortcuts"],
  // what comes late, twice, out of turn or changed, and who waits for whom,
  ["delivery-begun-twice", "duplicate-requests", "edited-messages", "forms-stalled", "late-turns", "many-people"],
  ["nobody-waits", "slack-away", "slack-deletes", "slow-workload-api"],
  // a bot that ends, pauses or loses its database in between,
  ["database-away", "restart-at-every-state", "several-killed", "store-stumbles", "suspended-before-sending"],
  // whose delivery it is,
  ["isolation", "org-wide-installs", "other-team", "refused-installs", "who-sends-a-form", "workspace-neighbours"],
  ["workspaces"],
  // what is kept and shown of it.
  ["health-trouble", "secrets", "status", "status-of-workspaces", "text-sealed-at-rest"],
]
  .flat()
  .map((story) => `test/flows/${story}.test.ts`);
const gone = alsoOnSockets.filter((file) => !existsSync(join(import.meta.dirname, file)));
if (gone.length > 0) throw new Error(`vitest.config.ts names stories that are gone: ${gone.join(", ")}`);

const isFullRun = process.env["GANTRY_TEST"] === "all";
const onSockets = [onSocketsOnly, ...(isFullRun ? alsoOnSockets : [])];

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
