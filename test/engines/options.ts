import { parseArgs } from "node:util";

export const engines = ["kubernetes", "docker", "podman"] as const;
export type EngineName = (typeof engines)[number];

export type Options = {
  readonly engines: readonly EngineName[];
  /** Without a node: what needs running pods is skipped. */
  readonly noNode: boolean;
  readonly long: boolean;
  /** Where a report in JSON is written, for another program. */
  readonly report: string | undefined;
  /** Only test files with one of these in their path. */
  readonly files: readonly string[];
};

export const usage = `npm run test:engines -- kubernetes|docker|podman [options] [part of a test file's path …]
  --no-node      kubernetes: a control plane without a node; what needs running pods is skipped
  --long         fault tests with all their rounds; without it a few of each
  --report FILE  also write the results to FILE, as JSON
docker and podman can be named together. Each engine is brought up for its tests and taken down at the end, unless
GANTRY_TEST_KUBECONFIG, GANTRY_TEST_DOCKER or GANTRY_TEST_PODMAN says where one is.
`;

/** Throws an Error with one sentence when they make no sense. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "no-node": { type: "boolean", default: false },
      long: { type: "boolean", default: false },
      report: { type: "string" },
    },
  });
  const firstFile = positionals.findIndex((name) => !isEngine(name));
  const named = positionals.slice(0, firstFile === -1 ? undefined : firstFile).filter(isEngine);
  const files = positionals.slice(named.length);
  if (named.length === 0)
    throw new Error(files[0] === undefined ? "Name an engine." : `There is no engine ${files[0]}.`);
  if (values["no-node"] && !named.includes("kubernetes")) throw new Error("--no-node is an option of kubernetes.");
  return { engines: named, noNode: values["no-node"], long: values.long, report: values.report, files };
}

function isEngine(name: string): name is EngineName {
  return engines.some((engine) => engine === name);
}
