import { stillClock } from "../../../support/test-clock.ts";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newKey, readKeyring, createSealer } from "../../../../src/bot/accounts/seal.ts";
import { StoreError } from "../../../../src/bot/errors.ts";
import { createLog } from "../../../../src/platform/log.ts";
import type { Interaction } from "../../../../src/bot/workflow/inbox/interaction.ts";
import { accept, beginAgain } from "../../../../src/bot/workflow/inbox/delivery.ts";
import type { WorkflowParts } from "../../../../src/bot/workflow/ports.ts";
import { createDropped } from "../../../../src/bot/workflow/inbox/unfinished.ts";
import { createLanes } from "../../../../src/bot/workflow/inbox/lanes.ts";
import { openStore } from "../../../../src/bot/store/open-store.ts";
import type { Store } from "../../../../src/bot/store/store.ts";
import type { Message } from "../../../../src/bot/views/kit/post.ts";
import { approvalTown, count } from "../../../support/approval-town.ts";
import { whispers } from "../../../support/speak.ts";
import { annHere, desk } from "../support/desk.ts";

const log = createLog({ level: "silent", secrets: [], to: { write: () => undefined } });
const origin = { userId: "U1", teamId: "T1", channelId: "C1" };
const interaction: Interaction = { kind: "disconnect", whose: "mine", origin };
const away = (): Promise<never> => Promise.reject(new StoreError("the database doesn't answer"));

async function storeIn(dataDir: string): Promise<Store> {
  return openStore({ kind: "sqlite", dataDir, replicaId: randomUUID(), log });
}

test("a delivery refused by a full queue is stored as refused, so the next process doesn't begin it", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-refused-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const store: Store = { ...(await storeIn(dataDir)), finish: away };
  const clock = stillClock();
  const lanes = createLanes({ drain: { graceMs: 1, goodbyeMs: 1 }, onError: () => undefined, clock });
  while (lanes.add({ lane: "requests" }, () => Promise.resolve()));
  const answers: (Message | undefined)[] = [];
  const deps = {
    store,
    lanes,
    clock,
    log,
    dropped: createDropped(store, log),
    sealer: createSealer(readKeyring(newKey())),
    settings: { command: "/gantry" },
    newReference: () => "abcd1234",
  } as unknown as WorkflowParts; // all that it looks at
  const ack = async (refusal?: Message): Promise<void> => void answers.push(refusal);

  await accept(deps, { id: "d1", interaction, ack });
  await accept(deps, { id: "d1", interaction, ack });
  await store.close();
  const next = await storeIn(dataDir);
  const taken = await next.takeDeliveries();
  await next.close();

  expect(answers.map((each) => each?.text)).toEqual([expect.stringMatching(/I'm too busy right now/u), undefined]);
  expect(taken).toEqual([]);
});

test("a delivery stored after its author was told it won't run is never run", async () => {
  const { promise: slow, resolve: release } = Promise.withResolvers<void>();
  const storing = Promise.withResolvers<void>();
  await using town = await approvalTown({
    store: (real) => ({
      ...real,
      finish: away,
      async accept(delivery) {
        storing.resolve();
        await slow;
        return real.accept(delivery);
      },
    }),
  });

  const said = town.developer.says("/gantry scale web 3");
  await storing.promise;
  town.passSeconds(1);
  await said;
  await town.settled();
  expect(whispers(town.developer).at(-1)).toMatch(/Not started: the database didn't confirm/u);
  release();
  await town.sweep();
  await town.crashBot();
  await town.settled();
  await town.sweep();

  expect(count(town, "updateService")).toBe(0);
});

test("a delivery whose end the database didn't note is ended by the next sweep, so no later process works through it", async () => {
  let failing = 1;
  const taken: string[] = [];
  await using town = await approvalTown({
    store: (real) => ({
      ...real,
      finish: (id) => (failing-- > 0 ? away() : real.finish(id)),
      async takeDeliveries() {
        const found = await real.takeDeliveries();
        taken.push(...found.map(({ id }) => id));
        return found;
      },
    }),
  });

  await town.developer.says("/gantry disconnect");
  await town.settled();
  expect(failing).toBe(0);
  await town.sweep();
  await town.crashBot();
  await town.settled();
  await town.sweep();

  expect(taken).toEqual([]);
});

test.each<[string, Interaction, RegExp | undefined]>([
  [
    "a command",
    { kind: "ask", ask: { verb: "restart", share: false, args: { name: "web" } }, origin: annHere },
    /restored from a backup/u,
  ],
  ["an approval", { kind: "decide", decision: "approve", changeId: "7K3M9Q", origin: annHere }, /no request 7K3M9Q/iu],
  ["“I'm on it”", { kind: "take", alertId: "a1", origin: annHere }, /I don't know this incident/u],
  ["another id of a channel", { kind: "move", from: "C0", origin: annHere }, undefined],
])("what came from a backup is told so only where it may have been done since: %s", async (_what, restored, says) => {
  const { deps } = await desk();
  const texts: string[] = [];
  const tell: typeof deps.responder.tell = async ({ text }) => texts.push(text) > 0;

  beginAgain(
    { ...deps, responder: { ...deps.responder, tell } },
    { id: "d1", interaction: restored, isRestored: true, tries: 0 },
  );
  await deps.lanes.idle();

  expect(texts).toEqual(says === undefined ? [] : [expect.stringMatching(says)]);
});
