import { imageOf } from "../../api/image.ts";

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
