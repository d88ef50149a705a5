import { expect, test } from "vitest";
import { fewAtATime } from "../../src/platform/turns.ts";

/** A work that goes on until it is ended. */
function work(begun: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const begin = (): Promise<string> => {
    begun.push(name);
    return promise;
  };
  return { begin, end: () => resolve(name), fail: () => reject(new Error(`${name} failed`)) };
}

test("two works run at a time, others in the order in which they came", async () => {
  const begun: string[] = [];
  const inTurn = fewAtATime(2);
  const first = work(begun, "first");
  const second = work(begun, "second");
  const firstEnd = inTurn(first.begin);
  const secondEnd = inTurn(second.begin);
  const others = [work(begun, "third"), work(begun, "fourth")].map((each) => {
    const end = inTurn(each.begin);
    each.end();
    return end;
  });
  expect(begun).toEqual(["first", "second"]);

  second.end();
  expect(await secondEnd).toBe("second");
  expect(await Promise.all(others)).toEqual(["third", "fourth"]);
  expect(begun).toEqual(["first", "second", "third", "fourth"]);
  first.end();
  expect(await firstEnd).toBe("first");
});

test("a work that fails leaves its place to the next one, and the place is free again after the last", async () => {
  const begun: string[] = [];
  const inTurn = fewAtATime(1);
  const broken = work(begun, "broken");
  const next = work(begun, "next");
  const later = work(begun, "later");
  const failure = inTurn(broken.begin);
  const end = inTurn(next.begin);
  broken.fail();
  await expect(failure).rejects.toThrow("broken failed");
  expect(begun).toEqual(["broken", "next"]);

  next.end();
  await end;
  later.end();
  expect(await inTurn(later.begin)).toBe("later");
});
