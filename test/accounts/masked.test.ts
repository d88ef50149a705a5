import { expect, test } from "vitest";
import { masked } from "../../src/accounts/masked.ts";

test.each([
  ["", "…"],
  ["short-token-123", "…"],
  ["sixteen-letters!", "…ers!"],
  ["a-token-of-some-length-9f2c", "…9f2c"],
])("of the token %j people see %j", (token, shown) => {
  expect(masked(token)).toBe(shown);
});
