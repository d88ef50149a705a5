import { expect, test } from "vitest";
import type { Card } from "../../../../src/bot/changes/stored-change.ts";
import type { Store } from "../../../../src/bot/store/store.ts";
import { approvalTown } from "../../../support/approval-town.ts";
import { buttons } from "../../../support/kill-town.ts";
import { openPolicy } from "../../../support/open-policy.ts";
import { card, clicks, says } from "../../../support/speak.ts";

type Step = "beginDrawing" | "holdDrawing" | "markDrawn";

/** Notes the statements that drawing a card takes. */
function watched(steps: Step[]) {
  return (real: Store): Store => ({
    ...real,
    async beginDrawing(id) {
      const drawing = await real.beginDrawing(id);
      if (drawing !== undefined) steps.push("beginDrawing");
      return drawing;
    },
    holdDrawing(...call) {
      steps.push("holdDrawing");
      return real.holdDrawing(...call);
    },
    markDrawn(...call) {
      steps.push("markDrawn");
      return real.markDrawn(...call);
    },
  });
}

test("the right to post the card of a change that ran comes with its end", async () => {
  const steps: Step[] = [];
  await using town = await approvalTown({ policy: openPolicy, store: watched(steps) });

  await says(town, town.developer, "/gantry scale web 3");

  expect(card(town.developer)).toMatch(/instances 2 → 3/u);
  expect(steps[0]).toBe("markDrawn");
  expect(steps).not.toContain("holdDrawing");
});

test("the card of a waiting request is stored before its buttons appear", async () => {
  const steps: Step[] = [];
  await using town = await approvalTown({ store: watched(steps) });

  await says(town, town.developer, "/gantry restart web");

  expect(buttons(town)).toHaveLength(3);
  expect(steps).toEqual(["beginDrawing", "holdDrawing", "markDrawn"]);
});

test("when another replica took over while a card was posted, its card counts and ours loses its buttons", async () => {
  const other: Card = { channelId: "C0OPS", ts: "1.000001" };
  let takeOver: (real: Store, id: string) => Promise<void> = () => Promise.resolve();
  const taken = (real: Store): Store => ({
    ...real,
    async markDrawn(id, drawn) {
      await takeOver(real, id);
      return real.markDrawn(id, drawn);
    },
  });
  await using town = await approvalTown({ policy: openPolicy, store: taken });
  takeOver = async (real, id) => {
    takeOver = () => Promise.resolve();
    town.passMinutes(1);
    const theirs = await real.beginDrawing(id);
    if (theirs === undefined) throw new Error("nothing to take over");
    await real.holdDrawing(id, theirs.token, { card: other });
  };

  await says(town, town.developer, "/gantry scale web 3");

  const [posted] = town.playground.messages("ops");
  expect(buttons(town)).toEqual([]);
  expect(posted?.text).not.toMatch(/instances 2 → 3/u);
});

test("a card that somebody deleted is posted again, once", async () => {
  await using town = await approvalTown();
  const { playground, developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  const [first] = playground.messages("ops");
  await clicks(town, developer, "Cancel");
  expect(playground.messages("ops")).toHaveLength(1);
  await says(town, developer, "/gantry stop web");
  const second = playground.messages("ops").at(-1);
  playground.people.removeMessage("ops", second?.ts ?? "");

  await says(town, approver, `/gantry approve ${/^([0-9A-Z]{6}) · /mu.exec(second?.text ?? "")?.[1]}`);

  const left = playground.messages("ops").filter(({ ts }) => ts !== first?.ts);
  expect(left).toHaveLength(1);
  expect(left[0]?.ts).not.toBe(second?.ts);
});
