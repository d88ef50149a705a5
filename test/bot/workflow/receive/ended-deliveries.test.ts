import { stillClock } from "../../../support/test-clock.ts";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { StoreError } from "../../../../src/bot/errors.ts";
import { createLog } from "../../../../src/platform/log.ts";
import { createDropped, type Interaction } from "../../../../src/bot/workflow/inbox/interaction.ts";
import { accept, process } from "../../../../src/bot/workflow/receive/delivery.ts";
import type { WorkflowParts } from "../../../../src/bot/workflow/ports.ts";
import { createLanes } from "../../../../src/bot/workflow/inbox/lanes.ts";
import { openStore } from "../../../../src/bot/store/open-store.ts";
import type { Store } from "../../../../src/bot/store/store.ts";
import type { Message } from "../../../../src/bot/views/kit/post.ts";
import { approvalTown, count } from "../../../support/approval-town.ts";
import { whispers } from "../../../support/speak.ts";
import { RESTORED_AT } from "../../../../src/bot/changes/stored-change.ts";
import { deliveryOf, takeOne } from "../../store/contract/bench.ts";
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
  const store: Store = { ...(await storeIn(dataDir)), finishDelivery: away };
  const clock = stillClock();
  const lanes = createLanes({ drain: { graceMs: 1, goodbyeMs: 1 }, onError: () => undefined, clock });
  while (lanes.add({ lane: "people" }, () => Promise.resolve()));
  const answers: (Message | undefined)[] = [];
  const deps = {
    store,
    lanes,
    clock,
    log,
    dropped: createDropped(store, log),
    settings: { command: "/gantry" },
  } as unknown as WorkflowParts; // all that it looks at
  const ack = async (refusal?: Message): Promise<void> => void answers.push(refusal);

  await accept(deps, { id: "d1", interaction, ack });
  await accept(deps, { id: "d1", interaction, ack });
  await store.close();
  const next = await storeIn(dataDir);
  const taken = await takeOne(next, "delivery");
  await next.close();

  expect(answers.map((each) => each?.text)).toEqual([expect.stringMatching(/I'm too busy right now/u), undefined]);
  expect(taken).toBeUndefined();
});

test("a delivery stored after its author was told it won't run is never run", async () => {
  const { promise: slow, resolve: release } = Promise.withResolvers<void>();
  const storing = Promise.withResolvers<void>();
  await using town = await approvalTown({
    store: (real) => ({
      ...real,
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

test("a delivery whose end the database didn't note is ended by the next sweep, so nobody begins it again", async () => {
  let ends = 0;
  const taken: string[] = [];
  await using town = await approvalTown({
    store: (real) => ({
      ...real,
      finishDelivery(due) {
        ends += 1;
        return ends === 1 ? away() : real.finishDelivery(due);
      },
      async takeDue(taking) {
        const found = await real.takeDue(taking);
        if (taking.kind === "delivery") taken.push(...found.map(({ key }) => key));
        return found;
      },
    }),
  });

  await town.developer.says("/gantry disconnect");
  await town.settled();
  await town.sweep();
  await town.crashBot();
  await town.settled();
  await town.sweep();

  expect([taken, ends]).toEqual([[], 1]);
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
  const { deps, store, signal } = await desk();
  const texts: string[] = [];
  const tell: typeof deps.responder.tell = async ({ text }) => texts.push(text) > 0;
  const due = await store.accept(deliveryOf("d1"));
  if (due === undefined) throw new Error("it isn't new");

  const again = { due: { ...due, attempts: 2, createdAt: RESTORED_AT }, interaction: restored };
  await process({ ...deps, responder: { ...deps.responder, tell } }, again, signal);

  expect(texts).toEqual(says === undefined ? [] : [expect.stringMatching(says)]);
});

test("messages that reached nobody before a backup aren't sent after it is restored", async () => {
  const { deps, store, signal } = await desk();
  const texts: string[] = [];
  const tell: typeof deps.responder.tell = async ({ text }) => texts.push(text) > 0;
  const due = await store.accept(deliveryOf("d1"));
  if (due === undefined) throw new Error("it isn't new");
  const missing = { post: { text: "web was scaled", blocks: [] }, how: "done" } as const; // a literal kind

  await process(
    { ...deps, responder: { ...deps.responder, tell } },
    {
      due: { ...due, attempts: 2, createdAt: RESTORED_AT },
      interaction: { ...interaction, origin: annHere },
      undelivered: [missing],
      sends: 1,
    },
    signal,
  );

  expect(texts).toEqual([expect.stringMatching(/restored from a backup/u)]);
});

test("a person is told once that the database is away, however often their command is begun again", async () => {
  const { deps, store, signal } = await desk();
  const texts: string[] = [];
  const tell: typeof deps.responder.tell = async ({ text }) => texts.push(text) > 0;
  const offline = { ...deps, responder: { ...deps.responder, tell }, store: { ...deps.store, removeAccount: away } };
  const due = await store.accept(deliveryOf("d1"));
  if (due === undefined) throw new Error("it isn't new");

  for (const attempts of [1, 2, 3]) {
    const attempt = process(
      offline,
      { due: { ...due, attempts }, interaction: { ...interaction, origin: annHere } },
      signal,
    );
    await expect(attempt).rejects.toThrow(StoreError);
  }

  expect(texts).toEqual([expect.stringMatching(/database/u)]);
});
