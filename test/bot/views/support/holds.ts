import fc from "fast-check";
import { test } from "vitest";

/** A property of a view, as a test. */
export function holds<Value>(view: string, arbitrary: fc.Arbitrary<Value>, check: (value: Value) => void): void {
  test(`${view} breaks no limit and carries no live markup`, () => {
    fc.assert(fc.property(arbitrary, check));
  });
}
