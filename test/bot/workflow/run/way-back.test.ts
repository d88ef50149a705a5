import { expect, test } from "vitest";
import type { Change } from "../../../../src/bot/changes/change.ts";
import { storeWayBack } from "../../../../src/bot/workflow/run/way-back.ts";
import { contentOf } from "../../../../src/bot/workflow/stored-request.ts";
import { before, update } from "../../changes/support/changes.ts";
import { stored } from "../../views/support/stored-changes.ts";
import { desk } from "../support/desk.ts";

/** web ran 1.4, and 1.5 doesn't get ready. */
const then = { ...before, revision: 2, images: ["shop/web:1.4"], instanceMiB: 1_024 };
const now = { ...then, revision: 3, images: ["shop/web:1.5"] };
const deploy = update({ containers: [{ image: "shop/web:1.5" }] }, then);

const ask = { verb: "deploy", share: false, args: { name: "service/web", image: "shop/web:1.5" } };
const isStuck = (change: Change) => ({ stored: stored({ state: "done" }), content: { change, ask }, now });

/** What is stored to go back from it; undefined: nothing. */
async function wayBackOf(change: Change): Promise<Change | undefined> {
  const { deps } = await desk();
  const back = await storeWayBack(deps, isStuck(change));
  return back && contentOf(deps.sealer, back.change)?.change;
}

test("a way back is stored once, however many replicas see that it is needed", async () => {
  const { deps } = await desk();

  const [one, other] = await Promise.all([storeWayBack(deps, isStuck(deploy)), storeWayBack(deps, isStuck(deploy))]);

  expect(one?.change.id).toBeDefined();
  expect(other?.change.id).toBe(one?.change.id);
});

test.each<[string, Change["backTo"], object]>([
  [
    "what ran before, with its memory",
    undefined,
    { containers: [{ image: "shop/web:1.4", memoryMiB: 512 }], instanceMiB: 1_024 },
  ],
  [
    "an earlier version, whose memory isn't known",
    { revision: 1, images: ["shop/web:1.3"] },
    { containers: [{ image: "shop/web:1.3", memoryMiB: undefined }], instanceMiB: undefined },
  ],
])("policy is asked about what a way back brings: %s", async (_what, backTo, brings) => {
  expect((await wayBackOf({ ...deploy, backTo }))?.footprint).toEqual({ ...brings, instances: 2 });
});

test("what went back leads nowhere else when it doesn't get ready, unless it was a deploy: both would go on for ever", async () => {
  const back = update({ revision: 1 }, then);

  expect(await wayBackOf(back)).toBeUndefined();
  expect(await wayBackOf({ ...back, isDeploy: true })).toMatchObject({ call: { body: { revision: 2 } } });
});
