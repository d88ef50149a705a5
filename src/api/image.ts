type Image = {
  /** With its registry: `registry.example.com:5000/shop/web`. */
  readonly repository: string;
  readonly tag: string | undefined;
  /** `sha256:…` */
  readonly digest: string | undefined;
};

/** The parts of an image reference. */
export function imageOf(reference: string): Image {
  const [, repository = reference, tag, digest] = /^(.+?)(?::([^/:@]+))?(?:@(.+))?$/u.exec(reference) ?? [];
  return { repository, tag, digest };
}

/** The image without its repository where that is the other one's: `:1.5`, because a bare tag would read like a word. */
export function shortImage(reference: string, other: string): string {
  const { repository, tag, digest } = imageOf(reference);
  const isSame = repository === imageOf(other).repository;
  if (isSame && tag !== undefined) return `:${tag}`;
  return shortDigests(isSame && digest !== undefined ? digest : reference);
}

/** Text with only the first twelve digits of each digest in it, as Docker shows them: `shop/web@sha256:3f2a9c1d5b6e`. */
export function shortDigests(text: string): string {
  return text.replaceAll(/\b(sha(?:256|384|512):[0-9a-f]{12})[0-9a-f]{20,}/giu, "$1");
}

/** The first digits of a digest: `3f2a9c1d5b6e`. Undefined for anything else. */
export function digestWord(digest: string | undefined): string | undefined {
  return /^[a-z0-9]+:([0-9a-f]{12})[0-9a-f]*$/u.exec(digest ?? "")?.[1];
}

/**
 * An image in few characters: `shop/web:1.5 · 3f2a9c1d5b6e`. What runs is said where it is known, unless the image is named
 * by its digest.
 */
export function runningImage(image: string, digest: string | undefined): string {
  const word = imageOf(image).digest === undefined ? digestWord(digest) : undefined;
  return word === undefined ? shortDigests(image) : `${image} · ${word}`;
}

/**
 * What somebody who typed a whole reference, a bare tag (`1.5`, `:1.5`) or a digest (`sha256:…`, `@sha256:…`) means for a
 * container with this image; undefined where that takes an image which isn't known.
 */
export function wantedImage(typed: string, current: string | undefined): string | undefined {
  if (!isBare(typed)) return typed;
  if (current === undefined) return undefined;
  const { repository } = imageOf(current);
  if (isDigest(typed)) return `${repository}@${typed}`;
  return /^[@:]/u.test(typed) ? `${repository}${typed}` : `${repository}:${typed}`;
}

/** The beginning of a digest, as cards show it: no registry knows an image by it. */
export function isShortDigest(typed: string): boolean {
  return /(?:^|@)sha256:[0-9a-f]{1,63}$/iu.test(typed);
}

/** A digest alone, which would otherwise be the tag of an image called `sha256`. */
export function isDigest(typed: string): boolean {
  return /^sha(?:256|384|512):/iu.test(typed);
}

/** A tag or a digest without a repository. */
export function isBare(typed: string): boolean {
  return /^(?:@[a-z0-9]+|sha(?:256|384|512)):[a-fA-F0-9]{1,128}$/u.test(typed) || /^:?\w[\w.-]{0,127}$/u.test(typed);
}

/**
 * The digest of an image in its own repository, among the references (`shop/web@sha256:…`) under which a daemon knows what
 * it runs. Undefined where there is none, as of an image that was built on the machine, or more than one.
 */
export function digestOf(image: string, references: readonly string[]): string | undefined {
  const { repository, digest: pinned } = imageOf(image);
  const digests = references.map(imageOf).flatMap((known) => {
    return known.digest !== undefined && fullName(known.repository) === fullName(repository) ? [known.digest] : [];
  });
  return pinned !== undefined && digests.includes(pinned) ? pinned : sharedDigest(digests);
}

/** The digest that all of them have; undefined if they differ, or if one of them isn't known. */
export function sharedDigest(digests: readonly (string | undefined)[]): string | undefined {
  const [first, ...others] = new Set(digests);
  return others.length === 0 ? first : undefined;
}

/** `nginx` and `docker.io/library/nginx` are one repository. Kubernetes on Docker puts `docker-pullable://` before it. */
function fullName(repository: string): string {
  return repository.replace(/^docker-pullable:\/\//u, "").replace(/^(?:(?:index\.)?docker\.io\/)?(?:library\/)?/u, "");
}
