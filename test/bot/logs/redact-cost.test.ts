import { expect, test } from "vitest";
import { redactLines } from "../../../src/bot/logs/redact.ts";

test("twice as many lines cost at most 2.2 times as much", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `GET /orders/${at} 200 user=dana in 12 ms`);
  const [some, twice] = [lines(10_000), lines(20_000)];

  const once = readBy(() => void redactLines(some));

  expect(once).toBeGreaterThan(30_000);
  expect(readBy(() => void redactLines(twice)) / once).toBeLessThanOrEqual(2.2);
});

/** They take as long for a long list as for a short one. */
const WITHOUT_READING = new Set(["constructor", "push", "pop", "at", "keys", "values", "entries"]);

type Measured = { readonly length?: number } | undefined;

/**
 * How many characters and elements the built-in functions of texts, patterns and lists are given. Counted and not timed:
 * other work on the machine changes how long something takes, but not this.
 */
function readBy(work: () => void): number {
  let read = 0;
  const undo: (() => void)[] = [];
  for (const kind of [String.prototype, RegExp.prototype, Array.prototype]) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(kind))) {
      const real: unknown = descriptor.value;
      if (typeof real !== "function" || WITHOUT_READING.has(name)) continue;
      const counting = function (this: Measured, ...given: Measured[]): unknown {
        const result = Reflect.apply(real, this, given) as Measured; // whatever it is, only its length is asked for
        // A part costs what it has, not what it was cut from.
        read += (name === "slice" ? result?.length : (this?.length ?? given[0]?.length)) ?? 0;
        return result;
      };
      undo[undo.length] = () => Object.defineProperty(kind, name, descriptor);
      Object.defineProperty(kind, name, { ...descriptor, value: counting });
    }
  }
  try {
    work();
  } finally {
    for (const put of undo) put();
  }
  return read;
}
