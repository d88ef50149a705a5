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

/** The image without its repository where that is the other one's: `1.5`. */
export function shortImage(reference: string, other: string): string {
  const { repository, tag, digest } = imageOf(reference);
  if (repository !== imageOf(other).repository) return reference;
  return tag ?? (digest === undefined ? reference : shortDigest(digest));
}

/** `sha256:0f3c2a91` */
function shortDigest(digest: string): string {
  return digest.replace(/^(sha256:[0-9a-f]{8})[0-9a-f]*$/u, "$1");
}

/**
 * What somebody who typed a whole reference, a bare tag or `@sha256:…` means for a container with this image; undefined
 * where that takes an image which isn't known.
 */
export function wantedImage(typed: string, current: string | undefined): string | undefined {
  if (!isBare(typed)) return typed;
  if (current === undefined) return undefined;
  const { repository } = imageOf(current);
  return typed.startsWith("@") ? `${repository}${typed}` : `${repository}:${typed}`;
}

/** A tag or a digest without a repository. */
export function isBare(typed: string): boolean {
  return /^@[a-z0-9]+:[a-fA-F0-9]{1,128}$/u.test(typed) || /^\w[\w.-]{0,127}$/u.test(typed);
}
