import { fileURLToPath } from "node:url";
import { Refusal } from "../../engine.ts";
import type { Container } from "../../workloads/definitions.ts";

/** An image that this engine can run. */
export type CatalogueEntry = {
  readonly image: string;
  readonly summary: string;
  /** The arguments that `command` takes. */
  readonly usage: string;
  /** What Node runs: a file, and its first arguments. */
  readonly program: readonly [string, ...string[]];
};

/** The image whose command is a program of the host; only with `allowHostCommands`. */
export const HOST_IMAGE = "host";

function fileOf(program: string): string {
  return fileURLToPath(new URL(`./programs/${program}.ts`, import.meta.url));
}

const ours = (name: string, summary: string, usage: string): CatalogueEntry => {
  return { image: `gantry/${name}`, summary, usage, program: [fileOf("demo"), name] };
};

const programs: readonly CatalogueEntry[] = [
  ours(
    "hello-web",
    "an HTTP server that greets, logs its requests and a heartbeat; its tag is its version, and :broken never answers",
    "[--greeting TEXT] [--heartbeat MS]",
  ),
  ours("worker", "works through a queue and logs like real programs do", "[--every MS]"),
  ours("flaky", "crashes now and then", "[--after MS] [--exit CODE], or AFTER_MS in the environment"),
  ours(
    "batch",
    "a job that works a number of steps and exits with a code",
    "[STEPS] [--exit CODE] [--delay MS] [--fail-first N]",
  ),
];

const hostCommand: CatalogueEntry = {
  image: HOST_IMAGE,
  summary: "a program of the host, without a shell",
  usage: "PROGRAM [ARGUMENT…]",
  program: [fileOf("host-runner")],
};

export function makeCatalogue(allowHostCommands: boolean): readonly CatalogueEntry[] {
  return allowHostCommands ? [...programs, hostCommand] : programs;
}

/** `gantry/hello-web:2` has the tag `2`. */
export function tagOf(image: string): string | undefined {
  return /:(?<tag>[^/:@]+)(?:@.*)?$/u.exec(image)?.groups?.["tag"];
}

/** Finds an image and ignores its tag or digest. Throws a `Refusal` 400 that names the available images. */
export function findImage(catalogue: readonly CatalogueEntry[], image: string): CatalogueEntry {
  const name = image.replace(/@.*$/, "").replace(/:[^/]*$/, "");
  const entry = catalogue.find((candidate) => candidate.image === name);
  if (entry) return entry;
  const known = catalogue.map((candidate) => candidate.image).join(", ");
  throw new Refusal(400, `unknown image ${JSON.stringify(image)}: use ${known}`);
}

/** Throws a `Refusal` 400 for an unknown image, or for a host image without a command. */
export function checkImage(catalogue: readonly CatalogueEntry[], { image, command }: Container, where: string): void {
  const entry = findImage(catalogue, image);
  if (entry.image === HOST_IMAGE && !command?.[0]) {
    throw new Refusal(400, `${where}.command is required for the image ${HOST_IMAGE}: ${entry.usage}`);
  }
}
