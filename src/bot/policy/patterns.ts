import { imageOf } from "../../api/image.ts";

/**
 * Case-sensitive; `*` matches any characters, also none. Linear in both lengths, unlike a regular expression, so a
 * pattern can't take long.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - last.length;
}

export function matchesEverything(pattern: string): boolean {
  return /^\*+$/u.test(pattern);
}

/**
 * Whether an image is one of those that a pattern names, however both are written: `nginx` is
 * `docker.io/library/nginx:latest`. A pattern without tag and digest covers all of them. `unknown` for a malformed
 * reference, for a digest where the pattern names a tag, and the other way round. Pure.
 */
export function matchesImage(pattern: string, image: string): boolean | "unknown" {
  const wanted = patternOf(pattern);
  const found = referenceOf(image);
  if (wanted === undefined || found === undefined) return "unknown";
  if (!matchesPattern(wanted.registry, found.registry) || !matchesPattern(wanted.path, found.path)) return false;
  if (wanted.digest !== undefined) {
    return found.digest === undefined ? "unknown" : matchesPattern(wanted.digest, found.digest);
  }
  if (wanted.tag === undefined) return true;
  // Engines ignore a tag beside a digest.
  return found.digest === undefined ? matchesPattern(wanted.tag, found.tag ?? "latest") : "unknown";
}

/** The same for each way to write the repository of an image; undefined for a malformed reference. Pure. */
export function repositoryKey(image: string): string | undefined {
  const found = referenceOf(image);
  return found && `${found.registry}/${found.path}`;
}

export function isImagePattern(text: string): boolean {
  return patternOf(text) !== undefined;
}

type Reference = {
  /** In lower case, without the default port. */
  readonly registry: string;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
};

// The grammar of references: https://pkg.go.dev/github.com/distribution/reference. Some engines and registries are laxer, so
// whatever isn't exactly of this form counts as unknown.
const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const HOST = new RegExp(`^(${label}(?:\\.${label})*)(?::(\\d{1,5}))?$`, "u");
const word = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
const PATH = new RegExp(`^${word}(?:/${word})*$`, "u");
const TAG = /^\w[\w.-]{0,127}$/u;
const DIGEST = /^[a-z0-9]+:[a-f0-9]{32,}$/u;

const DOCKER_HUB = "docker.io";
const otherNamesOfDockerHub = ["index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"];
const HTTPS_PORT = 443;
const LAST_PORT = 65_535;

/** Undefined when it is malformed. */
function referenceOf(image: string): Reference | undefined {
  const { host, path, tag, digest } = split(image);
  const registry = host === undefined ? DOCKER_HUB : registryOf(host);
  const isWellFormed =
    PATH.test(path) && (tag === undefined || TAG.test(tag)) && (digest === undefined || DIGEST.test(digest));
  return registry === undefined || !isWellFormed ? undefined : { registry, path: pathIn(registry, path), tag, digest };
}

/** Undefined when it can't be meant. */
function patternOf(text: string): Reference | undefined {
  const { host, path, tag, digest } = split(text);
  const isAnyRegistry = host === undefined && isStars(path);
  // Elsewhere in a host, a star would cover domains of other people.
  const [, stars = "", domain = host] = /^(\*\.)([^*]+)$/u.exec(host ?? "") ?? [];
  const registry = isAnyRegistry ? "*" : domain === undefined ? DOCKER_HUB : registryOf(domain);
  const example = [
    path.replaceAll("*", "x"),
    tag === undefined ? "" : `:${tag.replaceAll("*", "x")}`,
    digest === undefined ? "" : `@${digest.replaceAll("*", "0".repeat(32))}`,
  ].join("");
  // `*/web` could mean each registry, or each team of Docker Hub.
  const isUnclear = isStars(path.split("/", 1)[0] ?? "") && host === undefined && path.includes("/");
  // `Shop/web` names a host, but hardly means one.
  const isSlip = host !== undefined && host !== "localhost" && !/[.:]/u.test(host);
  if (isUnclear || isSlip || referenceOf(example) === undefined || registry === undefined) return undefined;
  return { registry: `${stars}${registry}`, path: isStars(path) ? "*" : pathIn(registry, path), tag, digest };
}

type Parts = Omit<Reference, "registry"> & { readonly host: string | undefined };

/** What comes before the first slash is a host if it looks like one: https://pkg.go.dev/github.com/distribution/reference. */
function split(text: string): Parts {
  const { repository, tag, digest } = imageOf(text);
  const slash = repository.indexOf("/");
  const first = repository.slice(0, Math.max(slash, 0));
  const isHost = first === "localhost" || /[.:A-Z]/u.test(first);
  return { host: isHost ? first : undefined, path: isHost ? repository.slice(slash + 1) : repository, tag, digest };
}

function registryOf(host: string): string | undefined {
  const [, domain, digits] = HOST.exec(host.toLowerCase()) ?? [];
  const port = Number(digits ?? HTTPS_PORT);
  if (domain === undefined || port > LAST_PORT) return undefined;
  if (port !== HTTPS_PORT) return `${domain}:${port}`;
  return otherNamesOfDockerHub.includes(domain) ? DOCKER_HUB : domain;
}

function pathIn(registry: string, path: string): string {
  return registry === DOCKER_HUB && !path.includes("/") ? `library/${path}` : path;
}

function isStars(text: string): boolean {
  return /^\*+$/u.test(text);
}
