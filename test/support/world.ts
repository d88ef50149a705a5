import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlainJob, PlainService } from "./as-read.ts";
import type { AccountMode } from "../../src/bot/accounts/resolve.ts";
import { newKey, readKeyring, createSealer } from "../../src/bot/accounts/seal.ts";
import { createApi, type AccountApi, type ApiAccount } from "../../src/api/client.ts";
import { type OperationId, operationTable } from "../../src/api/operations.ts";
import type { Settings } from "../../src/bot/commands/command.ts";
import { readConfig } from "../../src/bot/compose/config.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Observer } from "../../src/bot/compose/observing/observer.ts";
import type { TransportChoice } from "../../src/bot/slack/receive/transport.ts";
import { type LocalSlack, openLocalSlack, troubledService } from "../../src/bot/compose/stand-ins/local-slack.ts";
import type { Policy } from "../../src/bot/policy/policy.ts";
import { defaultPolicy, readPolicy } from "../../src/bot/policy/read-policy.ts";
import type { Person } from "../../src/playground/people/person.ts";
import type { Playground } from "../../src/playground/playground.ts";
import type { BotParts } from "../../src/bot/compose/bot.ts";
import type { DrainLimits } from "../../src/bot/workflow/inbox/lanes.ts";
import type { Engine, OpenedEngine } from "../../src/service/engine.ts";
import type { Store } from "../../src/bot/store/store.ts";
import { sendTo } from "../../src/platform/http/send.ts";
import { asTimePasses } from "./as-time-passes.ts";
import { sentButtonFaults } from "./button-rule.ts";
import { noting, type SentRequest } from "./operation-of.ts";
import { newestThread } from "./newest-thread.ts";
import { type MovableClock, testClock } from "./test-clock.ts";
import { until } from "./until.ts";
import type { Kysely } from "kysely";
import type { Tables } from "../../src/bot/store/schema/tables.ts";
import { briefly, startWorldBot, transportOf, type WorldBot } from "./world-bot.ts";
import { type Fetch, lookInto, openService } from "./world-service.ts";
import { writeDatabase } from "./write-database.ts";

export type { Person } from "../../src/playground/people/person.ts";

export type WorldOptions = {
  /** Stands for the whole API: broken, slow, or made up. No engine runs then. */
  readonly apiFetch?: Fetch;
  /** Another engine under our own service than the one with real processes. */
  readonly engine?: Engine;
  /** The same, served as `npm start` does it: with what it says of itself, and its events. */
  readonly opened?: OpenedEngine;
  readonly settings?: Partial<Settings>;
  readonly drain?: DrainLimits;
  /** The text of a policy.yaml; the built-in default without it. */
  readonly policy?: string | undefined;
  readonly accountMode?: AccountMode;
  /** Between a write and its read-back; a few milliseconds by default. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Who has accounts at the service beside the bot's own; with a memory engine only. */
  readonly users?: readonly ApiAccount[];
  /** Stands between the bot and the service: holds a request back, or loses its answer. */
  readonly via?: (request: Request, send: Fetch) => Promise<Response>;
  /** Stands between the bot and its database. */
  readonly store?: (real: Store) => Store;
  readonly keepHistoryMs?: number;
  /** Measures and traces what the bot does. */
  readonly observer?: Observer;
  /** Sees the SQL of each statement of the bot. */
  readonly onStatement?: (sql: string) => void;
  /** How Slack's deliveries arrive. Default: GANTRY_TEST_TRANSPORT, or http. */
  readonly transport?: TransportChoice["kind"];
  /** Another Gantry's, with the same app: two worlds on one Slack. */
  readonly slack?: LocalSlack;
  /** Opens the file of the bot's database in its place. */
  readonly openDatabase?: (file: string) => Kysely<Tables>;
  /** A database that is there before the bot starts: SQL, and the keys that sealed it. */
  readonly database?: { readonly sql: string; readonly keys: string };
  /** Of an engine that was made before. */
  readonly clock?: MovableClock;
  /** As in production. Without sweeps, a change that waits for another change of its workload never runs. */
  readonly sweepsByItself?: boolean;
} & Pick<BotParts, "auditReceivers" | "backOff" | "fileWatches" | "patience">;

/** The whole of Gantry, with people in it. */
export type World = {
  readonly playground: Playground;
  /** dana, who is in every channel; alex; and gwen, a guest who is only in #ops. */
  readonly developer: Person;
  readonly approver: Person;
  readonly guest: Person;
  /** The API past the bot: what a test asserts with costs no call of the bot. */
  readonly api: AccountApi;
  /** The same with another account. */
  readonly apiAs: (account: ApiAccount) => AccountApi;
  /** The token of the bot's account, which nobody may ever see. */
  readonly token: string;
  /** What Slack signs its requests to the bot with. */
  readonly signingSecret: string;
  readonly botToken: string;
  /** What seals tokens and bodies, as GANTRY_KEYS has it. */
  readonly keys: string;
  /** Where the database lies. */
  readonly dataDir: string;
  /** The operations that the bot has called so far. */
  readonly calls: () => readonly OperationId[];
  /** The same with the account of each. */
  readonly sent: () => readonly SentRequest[];
  /** The bot's log, parsed. */
  readonly logged: () => readonly Record<string, unknown>[];
  readonly logLines: () => readonly string[];
  readonly botUrl: () => string;
  /** Where the page of the simulated workspace is. */
  readonly playgroundUrl: string;
  readonly slack: LocalSlack;
  readonly store: () => Store;
  readonly service: (name: string) => Promise<PlainService>;
  readonly services: () => Promise<readonly PlainService[]>;
  readonly job: (name: string) => Promise<PlainJob>;
  /** What the developer sees of the newest thread of a channel: its head, then the replies. */
  readonly thread: (channel: string) => readonly string[];
  /** Resolves when the bot has nothing more to do. */
  readonly settled: () => Promise<void>;
  readonly until: (isSo: () => boolean | Promise<boolean>) => Promise<void>;
  /** The bot looks for what has to be carried on, as it does every two seconds, and does it. */
  readonly sweep: () => Promise<void>;
  /** Another policy holds from now on. */
  readonly setPolicy: (text: string) => void;
  /** The clock of all of it, which begins at `BEGINNING`. */
  readonly now: () => Date;
  /** Moves it. */
  readonly passMinutes: (minutes: number) => void;
  readonly passSeconds: (seconds: number) => void;
  readonly stopBot: () => Promise<void>;
  readonly restartBot: () => Promise<void>;
  /** As `kill -9` does: the bot does not get another turn, and a new one is started in its place. */
  readonly crashBot: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** A story that holds requests back on a busy machine may take longer than the bot waits for an answer. */
const HELD_MS = 60_000;
const whileHeld = Object.fromEntries(Object.keys(operationTable).map((op) => [op, HELD_MS]));

const policies = new Map<string, Policy>();

/** Most stories have one of a few policies: each is parsed once in a worker. */
function policyIn(text: string): Policy {
  const policy = policies.get(text) ?? readPolicy(text, "policy.yaml");
  policies.set(text, policy);
  return policy;
}

/** A fresh one, in a folder of its own, on free ports. */
export async function world(options: WorldOptions = {}): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-world-"));
  // Most stories don't wait for a service to prove itself.
  const settings = { ...readConfig({}).settings, healthyAfterMs: 0, ...options.settings };
  const { keys = newKey(), sql } = options.database ?? {};
  if (sql !== undefined) writeDatabase(dataDir, sql);
  const sealer = createSealer(readKeyring(keys));
  let policy = options.policy === undefined ? defaultPolicy : policyIn(options.policy);
  const lines: string[] = [];
  const { clock = testClock() } = options;
  const log = createLog({ level: "debug", secrets: [], clock, to: { write: (line) => void lines.push(line) } });
  const { now } = clock;
  const service = await openService(options, { dataDir, log, clock });
  const sent: SentRequest[] = [];
  const { via = (request: Request, send: Fetch) => send(request) } = options;
  const counted = noting(sent, (request) => via(request, service.fetch));
  const troubled = troubledService(sendTo(counted), clock);
  const { baseUrl, account } = service;
  const { observer } = options;
  const measuring = observer && { measure: observer.measure };
  const api = createApi({
    baseUrl,
    send: troubled.send,
    // A story that passes time gives up no request.
    clock: { ...clock, sleep: briefly },
    timeouts: whileHeld,
    ...measuring,
  });
  const past = createApi({ baseUrl, send: sendTo(service.fetch) });
  const direct = past.as(account);
  let botPort = 0;
  const slack =
    options.slack ??
    (await openLocalSlack({
      transport: transportOf(options),
      host: "127.0.0.1",
      port: 0,
      command: settings.command,
      botPort: () => botPort,
      clock,
      externalFaults: troubled.switches,
    }));

  async function startBot(): Promise<WorldBot> {
    const started = await startWorldBot(options, {
      slack: slack.access,
      dataDir,
      api,
      account,
      policy: () => policy,
      sealer,
      settings,
      log,
      clock,
      observer,
    });
    botPort = started.port;
    return started;
  }

  let running = await startBot();
  let isBotUp = true;
  const crashed: WorldBot[] = [];
  const people = { developer: slack.playground.as("dana"), approver: slack.playground.as("alex") };
  const stopBot = async (): Promise<void> => {
    if (!isBotUp) return;
    isBotUp = false;
    await running.stop();
  };
  const close = async (): Promise<void> => {
    await stopBot();
    // What they wait for never comes.
    await asTimePasses(clock, () => Promise.all(crashed.map(({ bot }) => bot.stop())));
    if (options.slack === undefined) await slack.close();
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
    const faults = sentButtonFaults(slack.playground.transcript());
    if (faults.length > 0) throw new Error(`buttons of messages: ${[...new Set(faults)].join("; ")}`);
  };
  return {
    playground: slack.playground,
    ...people,
    guest: slack.playground.as("gwen"),
    api: direct,
    apiAs: (other) => past.as(other),
    token: account.token,
    signingSecret: slack.signingSecret,
    botToken: slack.access.botToken,
    keys,
    dataDir,
    calls: () => sent.map(({ op }) => op),
    sent: () => sent,
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>), // pino writes objects
    logLines: () => lines,
    botUrl: () => `http://127.0.0.1:${botPort}`,
    slack,
    playgroundUrl: `http://127.0.0.1:${slack.port}`,
    store: () => running.store,
    ...lookInto(direct, settings.region),
    thread: (channel) => newestThread(people.developer, channel),
    settled: () => running.bot.idle(),
    until,
    async sweep() {
      await running.bot.sweep();
      await running.bot.idle();
    },
    setPolicy: (text) => void (policy = policyIn(text)),
    now,
    passMinutes: (minutes) => clock.passMs(minutes * 60_000),
    passSeconds: (seconds) => clock.passMs(seconds * 1_000),
    stopBot,
    async restartBot() {
      await stopBot();
      running = await startBot();
      isBotUp = true;
    },
    async crashBot() {
      crashed.push(running);
      const freezing = running.freeze();
      slack.playground.links.drop("all");
      await freezing;
      running = await startBot();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What changed last for a person in a channel: a new message, or one that was redrawn. */
export function newest(person: Person, channel = "ops"): string {
  const seen = person.sees(channel);
  return seen.toSorted((a, b) => a.revision - b.revision).at(-1)?.text ?? "";
}
