import { expect, onTestFinished, test } from "vitest";
import { StoreError } from "../../../src/bot/errors.ts";
import { installedBot } from "../../support/installed-bot.ts";
import { type StumblingStore, stumblingStore } from "../../support/stumbling-store.ts";
import { newest, world } from "../../support/world.ts";

// The database fails at one call and answers all others. Whichever call it is, the process goes on.

/** For a call that isn't made in each round. */
const TRIES = 3;

/** What would end the process. */
function uncaught(): readonly unknown[] {
  const all: unknown[] = [];
  const note = (error: unknown): void => void all.push(error);
  process.on("unhandledRejection", note).on("uncaughtException", note);
  onTestFinished(() => void process.off("unhandledRejection", note).off("uncaughtException", note));
  return all;
}

/**
 * Does it again and again, and another call fails each time, until each that was ever made has failed. Returns the names of
 * those that did.
 */
async function failEach(store: StumblingStore, act: () => Promise<unknown>): Promise<string[]> {
  const left = new Map<string, number>();
  const failed = new Set<string>();
  for (let call: string | undefined; ;) {
    store.failAt(call);
    await act();
    const made = store.calls();
    store.failAt(undefined);
    for (const each of made) if (!left.has(each)) left.set(each, TRIES);
    // What is done beside it may have made another call needless this time.
    if (call !== undefined) left.set(call, made.has(call) ? 0 : (left.get(call) ?? 0) - 1);
    if (call !== undefined && made.has(call)) failed.add(nameOf(call));
    call = [...left].find(([, tries]) => tries > 0)?.[0];
    if (call === undefined) return [...failed];
  }
}

function nameOf(call: string): string {
  return call.slice(0, call.indexOf(" "));
}

/** A sweep tells whoever runs it; the next one tries again. */
function unlessStore(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
}

test("at any call of the start, of a sweep or of a health check", async () => {
  const died = uncaught();
  const store = stumblingStore();
  await using w = await world({ store: store.wrap });
  const health = async () => {
    w.passSeconds(1);
    await fetch(`${w.botUrl()}/readyz`);
    return expect((await fetch(`${w.botUrl()}/healthz`)).status).toBe(200);
  };
  await w.developer.says("/gantry scale worker 2");
  await w.settled();

  const atStart = await failEach(store, async () => {
    await w.restartBot();
    await w.settled();
  });
  const inSweep = await failEach(store, () => w.sweep().catch(unlessStore));
  const inHealth = await failEach(store, health);
  const whileWriting = await failEach(store, async () => {
    await w.developer.says("/gantry restart worker");
    await w.settled();
    await w.sweep().catch(unlessStore);
  });

  expect(atStart).toContain("beat");
  expect(inSweep).toEqual(expect.arrayContaining(["beat", "syncRounds", "dueKinds"]));
  expect(inHealth).toContain("trouble");
  expect(whileWriting).toContain("accept");
  await health();
  await w.developer.says("/gantry version");
  await w.settled();
  expect(newest(w.developer)).toContain("Gantry");
  expect(died).toEqual([]);
});

test("a workspace whose token Slack refuses, and a database that fails at any call about it, end nothing for the others", async () => {
  const died = uncaught();
  const store = stumblingStore();
  await using bot = await installedBot({ rotates: true, wrapStore: store.wrap });
  await bot.sets(bot.playground, bot.accounts.playground);
  await bot.sets(bot.harbour, bot.accounts.harbour);
  bot.harbour.workspace.faults.tokenError = "invalid_auth";

  const atStart = await failEach(store, async () => {
    await bot.restartBot();
    await bot.harbour.developer.says("/gantry version", { channel: "ops" });
    await bot.settled();
  });
  const inSweep = await failEach(store, async () => {
    bot.passMinutes(2);
    await bot.sweep().catch(unlessStore);
    await bot.settled();
  });

  expect(atStart).toContain("suspectInstallation");
  expect(inSweep).toEqual(expect.arrayContaining(["installationVersions", "dueKinds", "takeDue"]));
  expect(await bot.says(bot.playground.developer, "/gantry version")).toContain("Gantry");
  expect(died).toEqual([]);
});
