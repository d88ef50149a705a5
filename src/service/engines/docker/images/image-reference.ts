import { Refusal } from "../../../engine.ts";
import type { Container } from "../../../workloads/definitions.ts";

/** An image as a definition names it, taken apart. */
export type ImageReference = {
  /** With its tag or digest: without one, Docker would pull all tags. */
  readonly full: string;
  /** Where it is pulled from: `docker.io`, `registry.example.com:5000`. */
  readonly registry: string;
  /** Without registry, tag and digest: `library/nginx`. */
  readonly repository: string;
};

export const HUB = "docker.io";

/** The grammar of Docker and OCI: https://github.com/distribution/reference/blob/main/reference.go */
const HOST = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[a-fA-F0-9:]+\])(?::\d+)?`;
const PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const IMAGE = new RegExp(
  String.raw`^(?:(${HOST})/)?(${PART}(?:/${PART})*)(?::([\w][\w.-]{0,127}))?(?:@[a-z0-9+._-]+:[a-fA-F0-9]{32,})?$`,
  "u",
);

/** Undefined for a name that no image can have. */
export function referenceOf(image: string): ImageReference | undefined {
  const [, first, rest = "", tag] = IMAGE.exec(image) ?? [];
  if (rest === "") return undefined;
  const full = tag === undefined && !image.includes("@") ? `${image}:latest` : image;
  // The first part is a registry if it could be a host; `library/nginx` is one of Docker Hub's.
  if (first !== undefined && REGISTRY.test(first)) {
    const registry = first === "index.docker.io" ? HUB : first;
    return { full, registry, repository: registry === HUB ? inHub(rest) : rest };
  }
  const repository = first === undefined ? rest : `${first}/${rest}`;
  return /[A-Z]/u.test(repository) ? undefined : { full, registry: HUB, repository: inHub(repository) };
}

const REGISTRY = /[.:\]]|^localhost$/u;

/** The name in which the repository has no capitals, if the image is wrong in nothing else. Tags may have capitals. */
function withoutCapitals(image: string): string | undefined {
  const slash = image.indexOf("/");
  const registry = REGISTRY.test(image.slice(0, Math.max(0, slash))) ? image.slice(0, slash + 1) : "";
  const [repository = ""] = /^[^:@]*/u.exec(image.slice(registry.length)) ?? [];
  const rest = image.slice(registry.length + repository.length);
  const lower = `${registry}${repository.toLowerCase()}${rest}`;
  return lower === image || referenceOf(lower) === undefined ? undefined : lower;
}

function inHub(path: string): string {
  return path.includes("/") ? path : `library/${path}`;
}

/** Throws a `Refusal` 400 for a name that no image can have; whether there is such an image shows when it is pulled. */
export function checkImage({ image }: Pick<Container, "image">, where: string): void {
  if (referenceOf(image)) return;
  const lower = withoutCapitals(image);
  const hint =
    lower === undefined
      ? "use registry/name:tag, in lowercase letters"
      : `a repository name has no capital letters. Use ${JSON.stringify(lower)}`;
  throw new Refusal(400, `${where}.image ${JSON.stringify(image)} isn't the name of an image: ${hint}`);
}
