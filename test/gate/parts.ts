import type { Need } from "./needs.ts";

/** A Vitest run. Each test counts. A file with a failed test is repeated alone. */
export type Tests = {
  readonly kind: "tests";
  readonly name: string;
  /** The whole run; with a file, only that. Its results are written to `report`, as JSON. */
  readonly command: (report: string, file?: string) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Only a plain `npm test` may skip tests. Elsewhere everything they need is installed, so a skipped test is a failure. */
  readonly maySkip: boolean;
};

/** A script of package.json that passes or fails as a whole. Never repeated: a single duplicate write is a fault. */
export type Script = { readonly kind: "script"; readonly name: string };

export type Part = {
  readonly name: string;
  /** Seconds on two quiet cores. */
  readonly budget: number;
  readonly needs: readonly Need[];
  readonly steps: readonly (Tests | Script)[];
};

/** What every change has to pass. The first part is quick, and ends the run when it fails. */
export function gateParts(commit: string): readonly Part[] {
  // Each commit tries other kills. Running a commit again tries the same ones.
  const seed = (Number.parseInt(commit.slice(0, 6), 16) % 1_000_000 || 0) + 1;
  const sockets = [
    "approving/approvals",
    "asking/mentions",
    "pointing/forms",
    "when-gantry-fails/delivery-begun-twice",
    "when-gantry-fails/suspended-before-sending",
    "workspaces/other-team",
  ].map((story) => `test/flows/${story}.test.ts`);
  const pages = ["approvals", "connect", "logs", "safety", "slack-trouble"].map(
    (name) => `test/browser/${name}.test.ts`,
  );
  return [
    {
      name: "smoke",
      budget: 75,
      needs: [],
      // Lint checks the types too.
      steps: ["lint", "format:check", "lint:spec", "lint:actions", "generate:check", "dead-code", "docs"].map(script),
    },
    { name: "npm test", budget: 130, needs: [], steps: [plainTests()] },
    {
      name: "npm run test:processes",
      budget: 120,
      needs: [],
      steps: [{ ...tests("npm run test:processes", []), maySkip: true, env: {} }],
    },
    { name: "store on PostgreSQL", budget: 60, needs: ["postgresql"], steps: [project("postgres")] },
    { name: "browser stories", budget: 40, needs: ["chromium"], steps: [project("browser", pages)] },
    { name: "Socket Mode stories", budget: 20, needs: [], steps: [project("socket", sockets)] },
    {
      name: "kill tests",
      budget: 110,
      needs: ["postgresql"],
      // Both stores at once: most of a round waits for leases to end.
      steps: [script(`test:kill -- --rounds 6 --store split --seed ${seed}`)],
    },
    {
      name: "kill tests find a bot that sends twice",
      budget: 60,
      needs: ["postgresql"],
      steps: [script("test:kill -- --variant replay --expect-failure --rounds 6")],
    },
  ];
}

/** When the fast suites run: near the end of a day, a month, a year, a UTC offset, and of 32-bit seconds. */
const moments = {
  "a digest's hour": "2026-12-02 08:30:00",
  "the end of a day": "2026-12-02 23:59:30",
  "a Sunday": "2026-12-06 12:00:00",
  "an hour that is missing in Berlin": "2027-03-28 00:59:00",
  "an hour that comes twice in Berlin": "2027-10-31 00:59:00",
  "a leap day": "2028-02-29 12:00:00",
  "the end of a year": "2027-12-31 23:59:00",
  "the end of 32 bits": "2038-01-19 03:13:00",
};

/** Everything else. Browser tests come first: Chromium drops requests when a daemon or a cluster changes the networks. */
export const fullParts: readonly Part[] = [
  { name: "browser", budget: 150, needs: ["chromium"], steps: [project("browser")] },
  { name: "socket", budget: 60, needs: [], steps: [project("socket")] },
  {
    name: "properties",
    budget: 800,
    needs: ["postgresql", "prometheus"],
    steps: [tests("npm test", ["--project", "gantry", "--project", "processes"])],
  },
  {
    name: "times",
    budget: 1_100,
    needs: ["faketime"],
    steps: Object.entries(moments).map(([name, moment]) => atMoment(name, moment)),
  },
  {
    name: "kill",
    budget: 900,
    needs: ["postgresql"],
    steps: [script("test:kill -- --each 1"), script("test:kill -- --variant replay --expect-failure --rounds 6")],
  },
  {
    name: "soak",
    budget: 300,
    needs: ["postgresql"],
    steps: [
      script("test:soak -- --minutes 3 --transport socket"),
      script("test:soak -- --minutes 0.3 --calm --variant repeats --expect-failure"),
    ],
  },
  // A fixed seed, and a new one.
  { name: "fuzz", budget: 400, needs: [], steps: [script("test:fuzz -- --seed 1"), script("test:fuzz")] },
  { name: "mutants", budget: 700, needs: ["postgresql"], steps: [script("test:mutants")] },
  {
    name: "kubernetes",
    budget: 1_000,
    needs: ["cluster", "registry"],
    steps: [engines("kubernetes"), script("test:engines -- kubernetes --no-node")],
  },
  { name: "chart", budget: 300, needs: ["cluster"], steps: [runner("npm run test:chart", ["--long"])] },
  { name: "docker", budget: 700, needs: ["docker", "registry"], steps: [engines("docker")] },
  { name: "podman", budget: 700, needs: ["podman", "registry"], steps: [engines("podman")] },
  {
    name: "image",
    budget: 300,
    needs: ["docker", "registry", "compose", "history"],
    steps: [{ ...tests("npm run test:image", []), env: { GANTRY_TEST: "all" } }],
  },
];

function script(name: string): Script {
  return { kind: "script", name };
}

function reporting(report: string): readonly string[] {
  return ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
}

/** A script that hands its arguments to Vitest. */
function tests(name: string, args: readonly string[], files: readonly string[] = []): Tests {
  const command = (report: string, file?: string): readonly string[] => {
    const chosen = file === undefined ? files : [file];
    return [...name.split(" "), "--", ...args, ...reporting(report), ...chosen];
  };
  return { kind: "tests", name: [name, ...args].join(" "), command, env: { GANTRY_TEST: "all" }, maySkip: false };
}

function project(name: string, files: readonly string[] = []): Tests {
  return tests("npm test", ["--project", name], files);
}

/** The README's command. A file needs its project's name, or Vitest would load all projects for it. */
function plainTests(): Tests {
  const whole = tests("npm test", []);
  const { command } = project("gantry");
  const chosen = (report: string, file?: string) =>
    file === undefined ? whole.command(report) : command(report, file);
  return { ...whole, command: chosen, env: {}, maySkip: true };
}

function atMoment(name: string, moment: string): Tests {
  const plain = plainTests();
  return {
    ...plain,
    name: `npm test at ${name}, ${moment} UTC`,
    command: (report, file) => ["faketime", `${moment} UTC`, ...plain.command(report, file)],
    // Time limits and files keep the machine's time.
    env: { FAKETIME_DONT_FAKE_MONOTONIC: "1", NO_FAKE_STAT: "1" },
  };
}

/** A script that starts a daemon or a cluster, and then Vitest. */
function runner(name: string, args: readonly string[]): Tests {
  const command = (report: string, file?: string): readonly string[] => [
    ...name.split(" "),
    "--",
    ...args,
    "--report",
    report,
    ...(file === undefined ? [] : [file]),
  ];
  return { kind: "tests", name: [name, ...args].join(" "), command, env: { GANTRY_TEST: "all" }, maySkip: false };
}

function engines(name: string): Tests {
  return runner("npm run test:engines", [name]);
}
