import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import type { Job, Service } from "../../src/api/answers.ts";
import { createApi, type AccountApi, type ApiAccount } from "../../src/api/client.ts";
import type { OperationId } from "../../src/api/operations.ts";
import type { Settings } from "../../src/commands/command.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { openLocalService } from "../../src/local-service.ts";
import { openLocalSlack } from "../../src/local-slack.ts";
import type { Person } from "../../src/playground/people/person.ts";
import type { Playground } from "../../src/playground/playground.ts";
import type { Engine } from "../../src/server/engine.ts";
import { serve } from "../../src/server/serve.ts";
import { makeToken } from "../../src/server/users.ts";
import { troubledService } from "../../src/service-trouble.ts";
import { createBot, type Bot } from "../../src/slack/bot.ts";
import type { DrainLimits } from "../../src/slack/inflight.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { operationOf } from "./operation-of.ts";

export type { Person } from "../../src/playground/people/person.ts";

type Fetch = (request: Request) => Promise<Response>;

export type WorldOptions = {
  /** Stands for the whole API: broken, slow, or made up. No engine runs then. */
  readonly apiFetch?: Fetch;
  /** Another engine under our own service than the one with real processes. */
  readonly engine?: Engine;
  readonly settings?: Partial<Settings>;
  readonly drain?: DrainLimits;
  /** Between a write and its read-back; no time at all by default. */
  readonly wait?: (ms: number) => Promise<void>;
};

/** The whole of Gantry, with people in it. */
export type World = {
  readonly playground: Playground;
  /** dana, who is in every channel; alex; and gwen, a guest who is only in #ops. */
  readonly developer: Person;
  readonly approver: Person;
  readonly guest: Person;
  /** The API past the bot: what a test asserts with costs no call of the bot. */
  readonly api: AccountApi;
  /** The token of the bot's account, which nobody may ever see. */
  readonly token: string;
  /** What Slack signs its requests to the bot with. */
  readonly signingSecret: string;
  /** The operations that the bot has called so far. */
  readonly calls: () => readonly OperationId[];
  /** The lines of the bot's log, parsed. */
  readonly logged: () => readonly Record<string, unknown>[];
  readonly botUrl: () => string;
  /** Where the page of the simulated workspace is. */
  readonly playgroundUrl: string;
  readonly store: () => Store;
  readonly service: (name: string) => Promise<Service>;
  readonly services: () => Promise<readonly Service[]>;
  readonly job: (name: string) => Promise<Job>;
  /** What the developer sees of the newest thread of a channel: its head, then the replies. */
  readonly thread: (channel: string) => readonly string[];
  /** Resolves when the bot has nothing more to do. */
  readonly settled: () => Promise<void>;
  /** Resolves when it is so; fails after a while. */
  readonly until: (isSo: () => boolean | Promise<boolean>) => Promise<void>;
  /** Moves the clock of the bot and of Slack. */
  readonly passMinutes: (minutes: number) => void;
  readonly stopBot: () => Promise<void>;
  readonly restartBot: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** No pause, but a chance for everything else. */
const nextTurn = async (): Promise<void> => {
  await turn();
};

const UNTIL_MS = 20_000;
const LOOK_EVERY_MS = 20;

/** A fresh one, in a folder of its own, on free ports. */
export async function world(options: WorldOptions = {}): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-world-"));
  const settings = { ...readConfig({}).settings, ...options.settings };
  const lines: string[] = [];
  const log = createLog({ level: "debug", secrets: [], to: { write: (line) => void lines.push(line) } });
  let offsetMs = 0;
  const nowMs = (): number => Date.now() + offsetMs;
  const now = (): Date => new Date(nowMs());
  const service = await openService(options, { dataDir, log });
  const calls: OperationId[] = [];
  const counted: Fetch = (request) => {
    calls.push(operationOf(request));
    return service.fetch(request);
  };
  const { baseUrl, account } = service;
  const troubled = troubledService(counted);
  const api = createApi({ baseUrl, fetch: troubled.fetch, now: nowMs, wait: nextTurn });
  const direct = createApi({ baseUrl, fetch: service.fetch }).as(account);
  let botPort = 0;
  const slack = await openLocalSlack({
    host: "127.0.0.1",
    port: 0,
    command: settings.command,
    botPort: () => botPort,
    now: nowMs,
    extraTrouble: troubled.switches,
  });

  async function startBot(): Promise<{ bot: Bot; store: Store }> {
    const store = await openStore(dataDir, now);
    const bot = createBot({
      slack: slack.access,
      listen: { host: "127.0.0.1", port: 0 },
      api,
      account,
      settings,
      store,
      log,
      now,
      wait: options.wait ?? nextTurn,
      backOff: nextTurn,
      ...(options.drain && { drain: options.drain }),
    });
    botPort = (await bot.start()).port;
    return { bot, store };
  }

  let running = await startBot();
  let isBotUp = true;
  const people = { developer: slack.playground.as("dana"), approver: slack.playground.as("alex") };
  const stopBot = async (): Promise<void> => {
    if (!isBotUp) return;
    isBotUp = false;
    await running.bot.stop();
    await running.store.close();
  };
  const close = async (): Promise<void> => {
    await stopBot();
    await slack.close();
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return {
    playground: slack.playground,
    ...people,
    guest: slack.playground.as("gwen"),
    api: direct,
    token: account.token,
    signingSecret: slack.access.signingSecret,
    calls: () => calls,
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>), // pino writes objects
    botUrl: () => `http://127.0.0.1:${botPort}`,
    playgroundUrl: `http://127.0.0.1:${slack.port}`,
    store: () => running.store,
    ...lookInto(direct, settings.region),
    thread: (channel) => newestThread(people.developer, channel),
    settled: () => running.bot.idle(),
    until,
    passMinutes: (minutes) => void (offsetMs += minutes * 60_000),
    stopBot,
    async restartBot() {
      await stopBot();
      running = await startBot();
      isBotUp = true;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Opened = { baseUrl: string; fetch: Fetch; account: ApiAccount; close: () => Promise<void> };

async function openService(
  { apiFetch, engine }: WorldOptions,
  parts: { dataDir: string; log: ReturnType<typeof createLog> },
): Promise<Opened> {
  const regions = ["beijing1", "beijing2"];
  const account = { username: "gantry", token: makeToken() };
  const rest = { baseUrl: "http://service.invalid", account, close: () => Promise.resolve() };
  if (apiFetch !== undefined) return { ...rest, fetch: apiFetch };
  if (engine !== undefined) {
    return { ...rest, fetch: serve({ engine, users: [account], regions, checkAnswers: true, log: parts.log }) };
  }
  return openLocalService({
    ...parts,
    config: { kind: "embedded", regions, hostCommands: false },
    engine: { graceMs: 1_000, readyAfterMs: 50, backOffMs: { first: 20, max: 100 } },
  });
}

function lookInto(api: AccountApi, region: string): Pick<World, "service" | "services" | "job"> {
  return {
    service: (name) =>
      api.send({ op: "getService", path: { region, service_name: name }, query: undefined, body: undefined }),
    services: async () =>
      (await api.send({ op: "listServices", path: { region }, query: undefined, body: undefined })).services,
    job: (name) =>
      api.send({ op: "getJob", path: { region: "us", job_name: name }, query: undefined, body: undefined }),
  };
}

/** What changed last for a person in a channel: a new message, or one that was redrawn. */
export function newest(person: Person, channel = "ops"): string {
  const seen = person.sees(channel);
  return seen.toSorted((a, b) => a.revision - b.revision).at(-1)?.text ?? "";
}

function newestThread(person: Person, channel: string): readonly string[] {
  const seen = person.sees(channel).filter(({ isEphemeral }) => !isEphemeral);
  const head = seen.findLast(({ threadTs }) => threadTs === undefined);
  if (head === undefined) return [];
  return [head, ...seen.filter(({ threadTs, ts }) => threadTs === head.ts && ts !== head.ts)].map(({ text }) => text);
}

/** Polls a condition to a deadline. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + UNTIL_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`it did not become so within ${UNTIL_MS} ms: ${isSo.toString()}`);
    await sleep(LOOK_EVERY_MS);
  }
}
