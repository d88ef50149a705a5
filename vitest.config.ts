import { existsSync, globSync } from "node:fs";
import { basename, join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { startingProcesses } from "./test/support/starting-processes.ts";
import { unreportedPool } from "./test/support/unreported-pool.ts";

const onKubernetes = "test/engines/kubernetes/**/*.test.ts";
const onDocker = "test/engines/docker/**/*.test.ts";
const inBrowser = "test/browser/**/*.test.ts";
const ofImage = "test/image/**/*.test.ts";
const ofChart = "test/chart/**/*.test.ts";
const onPostgres = "test/**/on-postgres.test.ts";
const needingMoreFiles = [onPostgres, onKubernetes, onDocker, inBrowser, ofImage, ofChart];

/** Every story is told over HTTP. In a full run those are told over Socket Mode too that it may change: */
const alsoOnSockets = Object.entries({
  // one of each kind of interaction, with what its ack says,
  approving: ["approvals", "late-turns"],
  asking: ["duplicate-requests", "edited-messages", "mentions"],
  connecting: ["connect", "secrets"],
  pointing: ["forms", "home", "pickers", "shortcuts", "who-sends-a-form"],
  // what is shown of it, and who waits for whom,
  reading: ["status"],
  watching: ["alerts", "follow-a-log", "health-trouble"],
  "under-load": ["many-people", "nobody-waits", "slow-workload-api"],
  // what comes late, twice or not at all, and a bot that ends, pauses or loses its database in between,
  "when-slack-fails": ["slack-away", "slack-deletes"],
  "when-gantry-fails": [
    "database-away",
    "restart-at-every-state",
    "several-killed",
    "store-stumbles",
    "suspended-before-sending",
  ],
  // whose delivery it is.
  workspaces: [
    "isolation",
    "org-wide-installs",
    "other-team",
    "refused-installs",
    "workspace-neighbours",
    "workspaces",
  ],
}).flatMap(([folder, stories]) => stories.map((story) => `test/flows/${folder}/${story}.test.ts`));
/** Small files that take long, because what they run lies elsewhere: the longest of each project first. */
const longest = [
  "test/service/contract/process.test.ts",
  "test/engines/kubernetes/rights/rights.test.ts",
  "test/engines/kubernetes/kill/kill.test.ts",
  "test/engines/kubernetes/flows/deploy.test.ts",
  "test/engines/kubernetes/contract.test.ts",
  "test/engines/docker/deploy.test.ts",
  "test/engines/docker/contract.test.ts",
  "test/engines/docker/kill/kill.test.ts",
  "test/engines/docker/images.test.ts",
].map((file) => join(import.meta.dirname, file));
const gone = [
  ...[...alsoOnSockets.map((file) => join(import.meta.dirname, file)), ...longest].filter((file) => !existsSync(file)),
  ...startingProcesses.filter((files) => globSync(files, { cwd: import.meta.dirname }).length === 0),
];
if (gone.length > 0) throw new Error(`vitest.config.ts names tests that are gone: ${gone.join(", ")}`);

/**
 * Begins with the longest files. On a clean checkout Vitest knows no durations and begins with the largest: the last one
 * on Kubernetes would then run alone for minutes.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ project: { name } }: TestSpecification) => (name === "podman" ? "docker" : name);
    const places = [...new Set(sorted.map(placeOf))];
    const rank = (file: TestSpecification): number =>
      places.indexOf(placeOf(file)) +
      (longest.includes(file.moduleId) ? longest.indexOf(file.moduleId) / longest.length : 1) / 2;
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

const isFullRun = process.env["GANTRY_TEST"] === "all";
/** The mutants run Vitest in a program of theirs, and choose the files. */
const isCommand = basename(process.argv[1] ?? "").startsWith("vitest");
/** Names what a plain `npm test` skips, with the reason. */
const namedOnly = "test/needs-more.test.ts";
/**
 * `npm test` without a word about what else is here. It leaves out what only starts things, and of the projects that need
 * more than Node it would skip each test, after workers of their own have loaded all files: one file names them instead.
 */
const isPlain =
  isCommand &&
  !Object.keys(process.env).some((name) => name.startsWith("GANTRY_TEST")) &&
  process.argv.slice(3).every((word) => word.startsWith("-") && !word.startsWith("--project"));

/** The projects that need more than Node. */
const needingMore: TestProjectInlineConfiguration[] = [
  { extends: true, test: { name: "postgres", include: [onPostgres] } },
  // A page needs a moment after a click: what it shows is asked for until it is right. A browser is several processes, so that
  // more workers only wait for each other.
  {
    extends: true,
    test: {
      name: "browser",
      include: [inBrowser],
      maxWorkers: 2,
      sequence: { groupOrder: 5 },
      expect: { poll: { timeout: 12_000, interval: 30 } },
    },
  },
  // On a real cluster, after the others. More workers overload its API server, whose watches then fall silent.
  {
    extends: true,
    test: { name: "kubernetes", include: [onKubernetes], maxWorkers: 2, sequence: { groupOrder: 1 } },
  },
  // On a real Docker and a real Podman, beside each other: much of it waits for containers.
  ...(["docker", "podman"] as const).map((name): TestProjectInlineConfiguration => {
    const env = { GANTRY_TEST_DAEMON: name };
    return { extends: true, test: { name, include: [onDocker], env, maxWorkers: 3, sequence: { groupOrder: 2 } } };
  }),
  // With Helm, and on a real cluster.
  { extends: true, test: { name: "chart", include: [ofChart], maxWorkers: 1, sequence: { groupOrder: 3 } } },
  // On a Docker of their own, which its set-up brings up.
  {
    extends: true,
    test: {
      name: "image",
      include: [ofImage],
      globalSetup: "test/image/support/global-setup.ts",
      maxWorkers: 1,
      sequence: { groupOrder: 4 },
    },
  },
];

const withProcesses: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: "processes", include: [...startingProcesses] },
};

const overSocketMode: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: "socket", include: alsoOnSockets, env: { GANTRY_TEST_TRANSPORT: "socket" } },
};

// oxlint-disable-next-line import/no-default-export -- Vitest reads nothing else
export default defineConfig({
  test: {
    globalSetup: "test/support/global-setup.ts",
    setupFiles: "test/support/properties.ts",
    // For what hangs. Waits end earlier, by a deadline that no load moves: see until.ts.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Whole sentences, where chai would cut them after forty characters.
    chaiConfig: { truncateThreshold: 400 },
    // Files share the modules of their worker: importing them for each file costs as much as the tests.
    isolate: false,
    // Or a sixth of a small file's time would be garbage collections of a young generation that is still small.
    execArgv: ["--min-semi-space-size=32"],
    sequence: { sequencer: LongestFirst },
    ...((!isCommand || process.argv[2] === "run") && { pool: unreportedPool }),
    // Node runs the sources as they are, here too: Vite would transform each file, and compile it without a cache.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Each worker compiles the code anew, so on two cores a fourth one costs more than it gains, except in a full run, which waits more.
    maxWorkers: isFullRun ? 4 : 3,
    projects: [
      {
        extends: true,
        test: {
          name: "gantry",
          exclude: [...needingMoreFiles, ...startingProcesses, "**/node_modules/**", ...(isPlain ? [] : [namedOnly])],
        },
      },
      ...(isPlain ? [] : [withProcesses]),
      ...(isFullRun ? [overSocketMode] : []),
      ...(isPlain ? [] : needingMore),
    ],
  },
});
