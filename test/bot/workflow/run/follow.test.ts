import { expect, test } from "vitest";
import { isNews } from "../../../../src/bot/workflow/run/follow.ts";
import { stored } from "../../views/support/stored-changes.ts";

test("that a healthy workload was deleted changes its card, which then has nothing to undo", () => {
  const health = { kind: "reached", line: "2 of 2 running for 60 s", excerpt: [] } as const; // literal words
  const change = stored({ state: "done", progress: health });

  expect(isNews(change, { health })).toBe(false);
  expect(isNews(change, { health: { ...health, gone: "deleted" } })).toBe(true);
});
