import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { newKey, readKeyring, createSealer, type Sealer } from "../../src/bot/accounts/seal.ts";
import { type AccountApi, type ApiAccount, createApi } from "../../src/api/client.ts";
import { readAppManifest } from "../../src/bot/compose/manifest.ts";
import { type Bot, createBot } from "../../src/bot/compose/bot.ts";
import { readConfig } from "../../src/bot/compose/config.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Person } from "../../src/playground/people/person.ts";
import { defaultPolicy } from "../../src/bot/policy/read-policy.ts";
import type { Policy } from "../../src/bot/policy/policy.ts";
import { serve } from "../../src/service/api/serve.ts";
import { openStore } from "../../src/bot/store/open-store.ts";
import type { Store } from "../../src/bot/store/store.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import { memoryEngine } from "../service/support/memory-engine.ts";
import { images } from "../service/support/memory-store.ts";
import { freePort } from "./free-port.ts";
import { ensureDatabase } from "./migrated-database.ts";
import { noting, type SentRequest } from "./operation-of.ts";
import { testClock } from "./test-clock.ts";
import { openTowns, type Town, type Towns } from "./two-workspaces.ts";
import { until } from "./until.ts";
import { newest } from "./world.ts";

export type InstalledBotOptions = {
  readonly rotates?: boolean;
  readonly policy?: (teamId: string | undefined) => Policy;
  /** Stands between the bot and its database. */
  readonly wrapStore?: (real: Store) => Store;
};

/** Gantry for several workspaces: installed in none at first, and each connects its own account. */
export type InstalledBot = Towns & {
  readonly store: () => Store;
  readonly sealer: Sealer;
  readonly url: () => string;
  readonly dataDir: string;
  /** The API calls of the bot so far. */
  readonly sent: () => readonly SentRequest[];
  readonly now: () => Date;
  readonly logged: () => readonly Record<string, unknown>[];
  /** Accounts of the workload API, each with a service of the same name, `web`. */
  readonly accounts: { readonly playground: ApiAccount; readonly harbour: ApiAccount };
  /** What somebody sees last in #ops after a command and everything that follows from it. */
  readonly says: (person: Person, text: string) => Promise<string>;
  readonly clicks: (person: Person, label: string) => Promise<string>;
  /** Connects an account for a workspace, as its admin; resolves with what the form says then. */
  readonly connects: (town: Town, account: ApiAccount) => Promise<string>;
  /** Installs the app, invites the bot to #ops and connects the workspace's account. */
  readonly sets: (town: Town, account: ApiAccount) => Promise<void>;
  /** Past the bot. */
  readonly createService: (account: ApiAccount, name: string) => Promise<void>;
  readonly settled: () => Promise<void>;
  readonly sweep: () => Promise<void>;
  readonly passMinutes: (minutes: number) => void;
  readonly restartBot: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const accounts = {
  playground: { username: "of-playground", token: "token-that-only-the-playground-has-1" },
  harbour: { username: "of-harbour", token: "token-that-only-the-harbour-has-0002" },
};

const briefly = (ms: number): Promise<void> => pause(Math.min(ms / 500, 50));

/** Every story is told over both transports: see vitest.config.ts. */
const overTransport = process.env["GANTRY_TEST_TRANSPORT"] === "socket" ? "socket" : "http";

export async function installedBot({
  rotates = false,
  policy,
  wrapStore = (real) => real,
}: InstalledBotOptions = {}): Promise<InstalledBot> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-towns-"));
  const { settings } = readConfig({});
  const sealer = createSealer(readKeyring(newKey()));
  const lines: string[] = [];
  const log = createLog({ level: "debug", secrets: [], to: { write: (line) => void lines.push(line) } });
  const clock = testClock();
  const { now } = clock;
  const { engine, close: closeEngine } = memoryEngine({ regions: ["us", "beijing1", "beijing2"], clock });
  const users = Object.values(accounts);
  const service = serve({ engine, users, regions: ["beijing1", "beijing2"], checkAnswers: true, log, clock });
  const baseUrl = "http://service.invalid";
  const sent: SentRequest[] = [];
  const botPort = await freePort();
  const botUrl = (): string => `http://127.0.0.1:${botPort}`;
  const towns = await openTowns({ botUrl, command: settings.command, clock, rotates, transport: overTransport });
  const { apiUrl, transport } = towns.slack.access;
  const past = createApi({ baseUrl, send: sendTo(service) });
  const createService = (account: ApiAccount, name: string) => create(past.as(account), name);
  for (const account of users) await createService(account, "web");

  async function startBot(): Promise<{ bot: Bot; store: Store }> {
    const replicaId = randomUUID();
    await ensureDatabase(dataDir);
    // The file lies in memory: a thread would wait for nothing.
    const onDisk = (): Promise<void> => nextTurn();
    const store = await openStore({ kind: "sqlite", dataDir, replicaId, log, sealer, clock, onDisk });
    const bot = createBot({
      slack: {
        transport,
        apiUrl,
        oauth: { ...towns.slack.client, url: botUrl(), scopes: readAppManifest().oauth_config.scopes.bot },
      },
      listen: { host: "127.0.0.1", port: botPort },
      api: createApi({
        baseUrl,
        send: sendTo(noting(sent, service)),
        clock: { ...clock, sleep: briefly },
      }),
      account: undefined,
      accountMode: "fallback",
      policy: policy ?? (() => defaultPolicy),
      sealer,
      settings,
      store: wrapStore(store),
      log,
      clock,
      wait: briefly,
      backOff: briefly,
      sweepEveryMs: Number.POSITIVE_INFINITY,
    });
    await bot.start();
    return { bot, store };
  }

  let running = await startBot();
  const stop = async (): Promise<void> => {
    await running.bot.stop();
    await running.store.close();
  };
  const settled = (): Promise<void> => running.bot.idle();
  const says = async (person: Person, text: string): Promise<string> => {
    await person.says(text, { channel: "ops" });
    await settled();
    return newest(person);
  };
  const connects: InstalledBot["connects"] = async ({ approver }, { username, token }) => {
    await says(approver, "/gantry connect workspace");
    await approver.submits({ username, token });
    await settled();
    const shown = JSON.stringify(approver.modal()?.content ?? "");
    await approver.closes();
    return shown;
  };
  const close = async (): Promise<void> => {
    await stop();
    await towns.close();
    await closeEngine();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return {
    ...towns,
    store: () => running.store,
    sealer,
    url: botUrl,
    dataDir,
    accounts,
    sent: () => sent,
    now,
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>), // pino writes objects
    says,
    async clicks(person, label) {
      await person.clicks(label);
      await settled();
      return newest(person);
    },
    connects,
    async sets(town, account) {
      await towns.install(town);
      towns.invite(town);
      await connects(town, account);
    },
    createService,
    settled,
    async sweep() {
      await running.bot.sweep();
      await settled();
    },
    passMinutes: (minutes) => clock.passMs(minutes * 60_000),
    async restartBot() {
      await stop();
      running = await startBot();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function create(api: AccountApi, name: string): Promise<void> {
  const path = { region: "beijing1", service_name: name };
  const containers = [{ image: images.web, resources: { limits: { memory: "512" } } }];
  await api.send({ op: "createService", path, query: undefined, body: { target_instance_size: 2, containers } });
  const read = { op: "getService", path, query: undefined, body: undefined } as const; // a Call of this operation
  await until(async () => (await api.send(read)).status === "Running");
}
