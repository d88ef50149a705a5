import { expect, test } from "vitest";
import { imageOf, isBare, isShortDigest, runningImage, shortImage, wantedImage } from "../../src/api/image.ts";

const digest = `sha256:${"0f3c2a91".repeat(8)}`;

test.each([
  ["web", { repository: "web", tag: undefined, digest: undefined }],
  ["shop/web:1.5", { repository: "shop/web", tag: "1.5", digest: undefined }],
  ["registry:5000/web", { repository: "registry:5000/web", tag: undefined, digest: undefined }],
  ["registry:5000/web:1.5", { repository: "registry:5000/web", tag: "1.5", digest: undefined }],
  [`shop/web:1.5@${digest}`, { repository: "shop/web", tag: "1.5", digest }],
  [`shop/web@${digest}`, { repository: "shop/web", tag: undefined, digest }],
])("%s is read as its parts", (reference, parts) => expect(imageOf(reference)).toEqual(parts));

test.each([
  ["1.5", "shop/web:1.4", "shop/web:1.5"],
  ["1.5", `registry:5000/shop/web:1.4@${digest}`, "registry:5000/shop/web:1.5"],
  ["latest", "web", "web:latest"],
  [`@${digest}`, "shop/web:1.4", `shop/web@${digest}`],
  [digest, "registry:5000/shop/web:1.4", `registry:5000/shop/web@${digest}`],
  [digest, undefined, undefined],
  ["other/web:2", "shop/web:1.4", "other/web:2"],
  ["registry:5000/web", undefined, "registry:5000/web"],
  ["1.5", undefined, undefined],
])("%s for a container with %s means %s", (typed, current, image) => expect(wantedImage(typed, current)).toBe(image));

test.each([
  ["shop/web:1.5", "shop/web:1.4", ":1.5"],
  [`shop/web@${digest}`, "shop/web:1.4", "sha256:0f3c2a910f3c"],
  ["other/web:1.5", "shop/web:1.4", "other/web:1.5"],
  [`other/web@${digest}`, "shop/web:1.4", "other/web@sha256:0f3c2a910f3c"],
  ["shop/web", "shop/web:1.4", "shop/web"],
])("%s in place of %s is called %s", (image, before, called) => expect(shortImage(image, before)).toBe(called));

test.each([
  ["shop/web:1.5", digest, "shop/web:1.5 · 0f3c2a910f3c"],
  ["shop/web:1.5", undefined, "shop/web:1.5"],
  ["shop/web:1.5", "latest", "shop/web:1.5"],
  [`shop/web@${digest}`, digest, "shop/web@sha256:0f3c2a910f3c"],
])("%s of which %s runs is shown as %s", (image, runs, shown) => expect(runningImage(image, runs)).toBe(shown));

test.each(["shop/web", "web:1", "@latest", "", "a b", "ünicode", "x".repeat(129)])("%s is no bare tag", (typed) =>
  expect(isBare(typed)).toBe(false),
);

test.each([
  [`@${digest}`, false],
  [`shop/web:1.5@${digest}`, false],
  ["@sha256:0f3c2a910f3c", true],
  [digest, false],
  ["sha256:0f3c2a910f3c", true],
  ["shop/web@SHA256:0F3C", true],
  ["shop/web:1.5", false],
])("whether %s names only the beginning of a digest is %s", (typed, is) => expect(isShortDigest(typed)).toBe(is));
