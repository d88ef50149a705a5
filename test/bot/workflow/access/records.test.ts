import { expect, test } from "vitest";
import { recordsFor, viewerAt } from "../../../../src/bot/workflow/access/records.ts";
import { bob, event } from "../../store/contract/bench.ts";
import { annHere, desk } from "../support/desk.ts";

test("hidden rows take no place on a page of history: the page is full of others, and there is no next one", async () => {
  const policy = `rules:
  - { name: some are private, who: everyone, does: anything, workloads: { name: "payroll-*" }, then: refuse }
  - { name: members do the rest, who: members, does: anything, then: allow }`;
  const { deps, store } = await desk({ policy });
  const names = [...Array.from({ length: 3 }, () => "web"), ...Array.from({ length: 5 }, () => "payroll-db")];
  for (const name of names) {
    const workload = { kind: "service", region: "beijing1", name } as const; // a kind of workload
    await store.addEvent(event("refused", { who: bob, verb: "stop", workload }));
  }

  const page = await recordsFor(deps, await viewerAt(deps, annHere)).history({ limit: 3 });

  expect(page.events.map(({ workload }) => workload?.name)).toEqual(["web", "web", "web"]);
  expect(page.older).toBeUndefined();
});
