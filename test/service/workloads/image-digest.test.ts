import { expect, test } from "vitest";
import { digestOf, sharedDigest } from "../../../src/api/image.ts";

const one = `sha256:${"1".repeat(64)}`;
const two = `sha256:${"2".repeat(64)}`;

test.each([
  ["of Docker", "nginx:1.27", [`nginx@${one}`], one],
  ["of Podman, which names Docker Hub", "nginx:1.27", [`docker.io/library/nginx@${one}`], one],
  ["of Kubernetes on Docker", "shop/web:1", [`docker-pullable://shop/web@${one}`], one],
  [
    "of a registry with a port",
    "registry.example.com:5000/shop/web:1",
    [`registry.example.com:5000/shop/web@${one}`],
    one,
  ],
  ["that is also in another repository", "shop/web:1", [`mirror/web@${two}`, `shop/web@${one}`], one],
  ["of one that was pulled by its digest", `shop/web@${one}`, [`shop/web@${two}`, `shop/web@${one}`], one],
  ["that was built on the machine", "shop/web:1", [], undefined],
  ["of Kubernetes that came from no registry", "shop/web:1", [one], undefined],
  ["that only another repository knows", "shop/web:1", [`mirror/web@${one}`], undefined],
  ["of another registry's repository of that name", "shop/web:1", [`quay.io/shop/web@${one}`], undefined],
  ["that its repository knows by two digests", "shop/web:1", [`shop/web@${one}`, `shop/web@${two}`], undefined],
])("the digest of an image %s", (_, image, references, digest) => {
  expect(digestOf(image, references)).toBe(digest);
});

test("instances share a digest if all of them are known to have it", () => {
  expect(sharedDigest([one, one])).toBe(one);
  expect(sharedDigest([one, two])).toBeUndefined();
  expect(sharedDigest([one, undefined])).toBeUndefined();
  expect(sharedDigest([])).toBeUndefined();
});
