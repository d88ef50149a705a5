import type { TestClock } from "./test-clock.ts";
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { type Bot, type BotParts, createBot } from "../../src/bot/compose/bot.ts";
import { type Transport, type TransportChoice } from "../../src/bot/slack/receive/transport.ts";
import { createTransport } from "../../src/bot/slack/receive/create-transport.ts";
import { openStore } from "../../src/bot/store/open-store.ts";
import { databaseFile } from "../../src/bot/store/database/session.ts";
import type { Store } from "../../src/bot/store/store.ts";
import { freezable } from "./freezable.ts";
import { ensureDatabase } from "./migrated-database.ts";
import type { WorldOptions } from "./world.ts";

/** The bot of a world, on its SQLite database. */
export type WorldBot = {
  readonly bot: Bot;
  readonly port: number;
  readonly store: Store;
  readonly stop: () => Promise<void>;
  /** From now on nothing it waits for happens, and Slack's deliveries don't reach it any more. */
  readonly freeze: () => Promise<void>;
};

type Parts = Omit<BotParts, "store" | "listen" | "accountMode"> & {
  readonly dataDir: string;
  readonly clock: TestClock;
};

/** 500 times faster, as workloads here start within milliseconds. */
export const briefly = (ms: number): Promise<void> => pause(Math.min(ms / 500, 50));

/** Every story is told over both transports: over `socket` in a run of its own. */
export function transportOf({ transport }: WorldOptions): TransportChoice["kind"] {
  return transport ?? (process.env["GANTRY_TEST_TRANSPORT"] === "socket" ? "socket" : "http");
}

export async function startWorldBot(options: WorldOptions, parts: Parts): Promise<WorldBot> {
  const { dataDir, clock, log, sealer } = parts;
  const { keepHistoryMs, onStatement, drain, wait = briefly, backOff = briefly, accountMode = "fallback" } = options;
  // Nobody is impatient, however busy the machine is, unless the story says so.
  const { patience = () => ({ cancel: () => undefined }) } = options;
  await ensureDatabase(dataDir);
  // The file lies in memory: a thread would wait for nothing.
  const shared = options.openDatabase?.(databaseFile(dataDir));
  const store = await openStore({
    ...(shared === undefined
      ? { kind: "sqlite", dataDir, onDisk: () => nextTurn(), ...(onStatement !== undefined && { onStatement }) }
      : { kind: "shared", flavour: "sqlite", db: shared }),
    replicaId: randomUUID(),
    log,
    sealer,
    clock,
    ...(keepHistoryMs !== undefined && { keepHistoryMs }),
  });
  const frozen = freezable(options.store?.(store) ?? store);
  let transport: Transport | undefined;
  const bot = createBot({
    ...parts,
    openTransport: (...given) => (transport = createTransport(...given)),
    listen: { host: "127.0.0.1", port: 0 },
    accountMode,
    store: frozen.store,
    wait,
    patience,
    ...(options.fileWatches && { fileWatches: options.fileWatches }),
    ...(options.auditReceivers && { auditReceivers: options.auditReceivers }),
    backOff,
    // Most tests sweep when their story says so.
    ...(options.sweepsByItself !== true && { sweepEveryMs: Number.POSITIVE_INFINITY }),
    ...(drain !== undefined && { drain }),
  });
  const { port } = await bot.start();
  return {
    bot,
    port,
    store,
    async stop() {
      await bot.stop();
      await store.close();
    },
    async freeze() {
      frozen.freeze();
      void transport?.stop();
      await store.close();
    },
  };
}
