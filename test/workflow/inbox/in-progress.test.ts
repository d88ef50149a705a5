import { expect, test } from "vitest";
import { createInProgress } from "../../../src/workflow/inbox/in-progress.ts";

test("what is under way is not begun a second time", async () => {
  const { once } = createInProgress(() => 0);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];

  const first = once("a", async () => {
    begun.push("first");
    await held;
  });
  await once("a", async () => void begun.push("second"));
  await once("b", async () => void begun.push("other"));
  release();
  await first;
  await once("a", async () => void begun.push("third"));

  expect(begun).toEqual(["first", "other", "third"]);
});

test("what rests is not begun before its time", async () => {
  let nowMs = 0;
  const { once, rest } = createInProgress(() => nowMs);
  const begun: number[] = [];
  const begin = () => once("a", async () => void begun.push(nowMs));

  await once("a", async () => rest("a", 10_000));
  for (const at of [0, 9_999, 10_000, 10_001]) {
    nowMs = at;
    await begin();
  }

  expect(begun).toEqual([10_000, 10_001]);
});
