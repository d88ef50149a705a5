import { expect, test } from "vitest";
import { safeLink } from "../../../../../src/playground/page/blocks/block-context.ts";

test.each(["https://x.test/a?b=1", "http://localhost:8080", "mailto:dana@x.test", "tel:+4930123"])(
  "%s may be opened",
  (url) => {
    expect(safeLink(url)).toBe(url);
  },
);

test.each([
  "javascript:alert(1)",
  " JavaScript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "blob:x",
  "/files/F1",
  "",
])("%j is never opened", (url) => {
  expect(safeLink(url)).toBeUndefined();
});
