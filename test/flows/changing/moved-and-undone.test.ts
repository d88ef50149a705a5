import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { step } from "../../../src/bot/workflow/lifecycle.ts";
import { approvalTown, count, createWeb, othersScale } from "../../support/approval-town.ts";
import { killTown } from "../../support/kill-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, clicks, idOf, says, saysIn, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

describe("under the built-in policy", () => {
  let town: World;
  beforeAll(async () => {
    town = await approvalTown();
  });
  afterAll(async () => town.close());

  test("when the workload moved in between, nothing runs, and one button asks again", async () => {
    await createWeb(town, town.api, "moved");
    const { developer, approver } = town;
    const [heard, updates] = [whispers(approver).length, count(town, "updateService")];
    await says(town, developer, "/gantry scale moved 1");
    await othersScale(town, "moved", 5);

    await clicks(town, approver, "Approve");

    expect(whispers(approver).slice(heard)).toEqual([
      expect.stringMatching(/Approved, but moved changed meanwhile: nothing was run/u),
    ]);
    expect(town.thread("ops").at(-1)).toMatch(/changed while this waited/u);
    expect(count(town, "updateService")).toBe(updates);
    expect(card(developer)).toMatch(/instances/u);
    expect(card(developer)).toMatch(/5/u);

    await clicks(town, developer, "Request 5 → 1");
    expect(card(developer)).toMatch(/instances 5 → 1/iu);
    await clicks(town, approver, "Approve");
    expect(count(town, "updateService")).toBe(updates + 1);
    expect((await town.service("moved")).target_instance_size).toBe(1);
  });

  test("of what was changed without Gantry, an undo that waits names nobody", async () => {
    await createWeb(town, town.api, "others");
    const { developer, approver } = town;
    await says(town, developer, "/gantry scale others 4");
    await othersScale(town, "others", 6);

    await clicks(town, developer, "Undo");

    expect(card(approver)).toMatch(
      /Scale others to 2\?\n• instances 6 → 2\n• somebody set instances to 6 since then\n/u,
    );
  });
});

test("when it is cancelled at the moment of its last approval, nobody reads that it runs", async () => {
  await using town = await approvalTown({
    store: (real) => ({
      ...real,
      async advance(id, wanted, event) {
        // Between the approval and the claim.
        if (wanted.name === "claim") {
          const by = { userId: "U0DANA", name: "Dana Reyes" };
          await real.advance(id, step("cancel", { by }), event && { ...event, kind: "cancelled", who: by, result: "" });
        }
        return real.advance(id, wanted, event);
      },
    }),
  });
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(0);
  expect(whispers(approver)).toEqual([
    expect.stringMatching(/Approved, but Dana Reyes cancelled it meanwhile: nothing was run/u),
  ]);
  expect(card(developer)).toMatch(/^🚫 Cancelled: restart web/u);
  expect(town.thread("ops").at(-1)).toMatch(/Dana Reyes cancelled it/u);
});

test("a vote whose answer died with its bot is answered by the next one, with what became of it", async () => {
  const { town, stalls } = await killTown();
  await using _town = town;
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  stalls.at("claim", "after");
  await approver.clicks("Approve");
  await town.until(stalls.isReached);
  stalls.clear();
  await town.crashBot();
  town.passMinutes(1);
  await town.sweep();

  const told = whispers(approver).filter((text) => text.includes("Approved"));
  expect(told.length).toBeGreaterThan(0);
  expect(whispers(approver).join("\n")).not.toMatch(/Too late/u);
});

test("an undo of an old change says what was set since, and by whom", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  const { developer, approver } = town;
  const running = async () => (await town.service("web")).status === "Running";
  await says(town, developer, "/gantry scale web 3");
  await town.until(running);
  await saysIn(town, { person: approver, channel: "general" }, "/gantry scale web 6");
  await town.until(running);

  await clicks(town, developer, "Undo");
  expect(whispers(developer).at(-1)).toMatch(
    /^⚠️ Scale web to 2\?\nIt also takes back changes of others:\n• Alex Kim set instances to 6 since then\n\[Go on\] \[Cancel\]\n/u,
  );
  await saysIn(town, { person: approver, channel: "general" }, "/gantry scale web 7");
  await town.until(running);
  // What was confirmed is something else by now.
  await clicks(town, developer, "Go on");
  expect(whispers(developer).at(-1)).toContain("• Alex Kim set instances to 7 since then\n[Go on]");
  expect((await town.service("web")).target_instance_size).toBe(7);
  await clicks(town, developer, "Go on");

  const undo = card(developer);
  expect(undo).toMatch(/web scaled to 2\n• instances 7 → 2\n• Alex Kim set instances to 7 since then\n/u);
  expect((await town.service("web")).target_instance_size).toBe(2);
});

test("an undo of what one changed again oneself is not asked about", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  const { developer } = town;
  const running = async () => (await town.service("web")).status === "Running";
  await says(town, developer, "/gantry scale web 3");
  const first = idOf(card(developer));
  await town.until(running);
  await says(town, developer, "/gantry scale web 6");
  await town.until(running);
  await says(town, developer, `/gantry undo ${first}`);

  await clicks(town, developer, "Undo");

  expect((await town.service("web")).target_instance_size).toBe(2);
  expect(card(developer)).toContain("Dana Reyes set instances to 6 since then");
});
