import { expect, test } from "vitest";
import { follow } from "../../../../src/bot/workflow/run/follow.ts";
import { isNews } from "../../../../src/bot/workflow/run/save-poll.ts";
import { approvedChange, done, event } from "../../store/contract/bench.ts";
import { stored } from "../../views/support/stored-changes.ts";
import { desk } from "../support/desk.ts";

test("that a healthy workload was deleted changes its card, which then has nothing to undo", () => {
  const health = { kind: "reached", line: "2 of 2 running for 60 s", excerpt: [] } as const; // literal words
  const change = stored({ state: "done", progress: health });

  expect(isNews(change, { health })).toBe(false);
  expect(isNews(change, { health: { ...health, gone: "deleted" } })).toBe(true);
});

test("a poll that is stopped before its request opens stores nothing, even if the request can't be opened", async () => {
  const { store, deps } = await desk();
  await store.addChange(approvedChange("AAA111"), event("requested"));
  await store.claim("AAA111", event("claimed"));
  await store.settle("AAA111", done, event("done"));
  const change = await store.findChange("AAA111");
  if (change === undefined) throw new Error("nothing was stored");
  const nothing = (): undefined => undefined;
  const lease = { due: store.lease("AAA111"), retryIn: nothing };
  const alone = { outsideLane: <Result>(pause: Result) => pause, withOthers: nothing, onBack: nothing };
  const stopping = new AbortController();

  const polling = follow(deps, { change, lease, isLeftOver: true, ...alone }, stopping.signal);
  stopping.abort();

  expect(await polling).toBe(false);
  expect((await store.findChange("AAA111"))?.version).toBe(change.version);
});
