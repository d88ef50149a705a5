import { expect, test } from "vitest";
import { dueNews } from "../../../src/bot/workflow/post/requester-news.ts";
import { ended, run } from "../views/support/stored-changes.ts";

test("who can't see the card is told of trouble at once, not after the last look", () => {
  const settledAt = new Date("2026-11-30T12:00:00Z");
  const ending = run({ kind: "done", after: undefined, alsoMoved: [] });
  const progress = { kind: "trouble", line: "exit 1", excerpt: [] } as const; // a literal kind
  const known = { sentKeys: ["ended"], at: new Date("2026-11-30T12:00:30Z") };

  expect(dueNews(ended("done", { ending, settledAt, progress }), known)).toEqual({ kind: "now", news: "after" });
  expect(dueNews(ended("done", { ending, settledAt }), known)).toEqual({ kind: "nothing" });
});
