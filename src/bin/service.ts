import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { type Logger, pino } from "pino";
import { ConfigError } from "../bot/compose/config-problems.ts";
import { type Trouble, troubleIn } from "../platform/http/guard-server.ts";
import { withPortSentence } from "../platform/http/port.ts";
import { machineClock } from "../platform/clock.ts";
import { closeLog, createLog } from "../platform/log.ts";
import { loadEnvFile, endOnCrash, stopOnSignals } from "../bot/compose/entry.ts";
import { listen, type Listening } from "../service/api/listen.ts";
import { serve } from "../service/api/serve.ts";
import { readServiceConfig, type ServiceConfig } from "../service/config.ts";
import { type StoredUsers, storedUsers } from "../service/api/users.ts";

// The Container Workload Service alone.
const projectDir = resolve(import.meta.dirname, "../..");
/** Requests accepted before a stop signal have this long to be answered. */
const drainMs = 5_000;

async function run(): Promise<void> {
  const started = Promise.withResolvers<() => Promise<void>>();
  const end = stopOnSignals(machineClock, async () => (await started.promise)());
  const read = readServiceConfig(process.env, projectDir);
  if ("problems" in read) throw new ConfigError(read.problems);
  const { config } = read;
  // The port first: if it is taken, no user is created and nothing is started.
  const { host, port, dataDir } = config;
  // The log comes later, because it needs the tokens in order to redact them.
  let onTrouble: Trouble = () => undefined;
  const opening = listen({ host, port, clock: machineClock, onTrouble: (message, data) => onTrouble(message, data) });
  const listening = await withPortSentence({ host, port, variable: "SERVICE_PORT" }, opening);
  const known: StoredUsers =
    config.users === undefined
      ? storedUsers(dataDir, ["gantry"])
      : { users: config.users, path: "SERVICE_USERS", isNew: false };
  const secrets = [...known.users.map(({ token }) => token), ...config.secrets];
  const log = createLog({
    level: "info",
    format: config.logFormat,
    secrets,
    to: pino.destination({ dest: 2, sync: true }),
  });
  onTrouble = troubleIn(log);
  let inProgress = (): readonly string[] => [];
  endOnCrash({ log, inProgress: () => inProgress(), end });
  // Before the engine: if its port is taken, nothing is started.
  const observing = await observe(config, log);
  const opened = await config.engine.open({
    dataDir: join(dataDir, "service"),
    users: known.users.map(({ username }) => username),
    clock: machineClock,
    // pino draws an Error only under `err`.
    onEvent: (message, data) => log.info("error" in data ? { ...data, err: data.error } : data, message),
  });
  const { engine, changes, endWaits, ready, about, notices, found, close } = opened;
  const regions = about().regions.flatMap(({ name, services }) => (services ? [name] : []));
  const requests = openRequests(
    serve({
      engine: observing?.observer.measured(engine) ?? engine,
      changes,
      users: known.users,
      regions,
      checkAnswers: config.checkAnswers,
      ...(config.callsPerDay !== undefined && { rateLimitPerDay: config.callsPerDay }),
      log,
      ...(observing !== undefined && { follow: observing.observer.follow }),
    }),
  );
  inProgress = requests.list;
  listening.answerWith(requests.answer, { ready, about });
  process.stdout.write([...notices, ...found].map((line) => `${line}\n`).join(""));
  if (observing?.port !== undefined) log.info({ metricsPort: observing.port }, "metrics are on");
  greet(listening, known, { regions, afterStop: config.engine.descriptor.says.afterStop });

  started.resolve(async () => {
    log.info({ inProgress: requests.list().length }, "the workload API is stopping");
    endWaits();
    await listening.close(drainMs);
    await close({ keepWorkloads: true });
    await observing?.close();
    log.info({ left: requests.list().length }, "the workload API has stopped");
    await closeLog(log);
  });
}

/** Undefined when nothing is measured or traced: nothing of it is loaded then. */
async function observe(config: ServiceConfig, log: Logger) {
  if (config.metrics === undefined && config.tracing === undefined) return undefined;
  const { openServiceObserver } = await import("../service/observing/open-service-observer.ts");
  return await openServiceObserver(config, { replicaId: randomUUID(), log, clock: machineClock });
}

/** Lists unanswered requests by method and path, which contain no secrets. */
function openRequests(answer: (request: Request) => Promise<Response>) {
  const open = new Map<symbol, string>();
  return {
    answer: async (request: Request): Promise<Response> => {
      const key = Symbol("request");
      open.set(key, `${request.method} ${new URL(request.url).pathname}`);
      return await answer(request).finally(() => open.delete(key));
    },
    list: () => [...open.values()],
  };
}

type Greeted = { readonly regions: readonly string[]; readonly afterStop: string };

function greet({ url }: Listening, { users, path, isNew }: StoredUsers, { regions, afterStop }: Greeted): void {
  const [first] = users;
  const token = isNew ? first?.token : "TOKEN";
  const whose = isNew
    ? `Created the user ${first?.username}. The token is shown only once and saved in ${path}.`
    : `Users: ${users.map(({ username }) => username).join(", ")}. Tokens: ${path}.`;
  process.stdout.write(`The workload API is listening on ${url}
${whose}

  curl -H 'username: ${first?.username}' -H 'Authorization: token ${token}' ${url}/v1/regions/${regions[0]}/services

Press Ctrl-C to stop. ${afterStop}
`);
}

try {
  loadEnvFile(process.env);
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
