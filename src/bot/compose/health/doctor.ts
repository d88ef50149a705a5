import { createApi } from "../../../api/client.ts";
import { loadTls } from "../../../platform/database/database-tls.ts";
import type { ApiFacts, DatabaseFacts, Facts } from "../../health/facts.ts";
import { createNetwork, type Network } from "../../../platform/http/network.ts";
import { findingsOf } from "../../health/checkup.ts";
import { broken, type Finding } from "../../health/finding.ts";
import { databaseFile } from "../../store/database/session.ts";
import { type Looked, lookIntoStore, type LookPlace } from "../../store/database/inspect.ts";
import { manifestScopes } from "../app-manifest.ts";
import { type Config, readConfig } from "../config.ts";
import { ConfigError } from "../config-error.ts";
import { askApi, hostOf } from "./api-facts.ts";
import { askApp, askWorkspaces } from "./doctor-slack.ts";
import { keyFacts } from "./doctor-keys.ts";
import { policyInFile } from "./policy-in-file.ts";
import { databaseAway, freeBytesOf } from "./stored-facts.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks the deployment of this environment from the outside, while Gantry runs or not. Changes nothing. */
export async function doctor(env: Environment, now: () => Date = () => new Date()): Promise<readonly Finding[]> {
  try {
    return findingsOf(await factsOf(readConfig(env), now));
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(wrongSetting);
    throw error;
  }
}

/** "PORT must be a number. Set it to …": the first sentence says what is wrong, the others what to do. */
function wrongSetting(problem: string): Finding {
  const [says = problem, ...todo] = problem.split(/(?<=[.!?])\s+(?=[A-Z])/u);
  const instead = "Correct it in .env or the environment; docs/configuration.md lists all settings.";
  const judged = broken(says.replace(/\.$/u, ""), todo.length === 0 ? instead : todo.join(" "));
  return { check: "gantry.settings", area: "Gantry", ...judged };
}

async function factsOf(config: Config, now: () => Date): Promise<Facts> {
  const network = createNetwork(config.proxy);
  try {
    return await factsThrough(network, config, now);
  } finally {
    await network.close();
  }
}

async function factsThrough(network: Network, config: Config, now: () => Date): Promise<Facts> {
  const [stored, policy, freeBytes] = await Promise.all([
    storedIn(config, now),
    policyInFile(config.policyPath),
    freeBytesOf(config.dataDir),
  ]);
  const looked = stored instanceof Error ? undefined : stored;
  const [slack, appToken, api] = await Promise.all([
    askWorkspaces({ config, network, nowMs: () => now().getTime() }, looked),
    askApp({ config, network }),
    apiFacts(config, network, looked),
  ]);
  return {
    now: now(),
    command: config.settings.command,
    ...kindsOf(config),
    slack,
    appToken,
    scopes: manifestScopes(),
    api,
    database: databaseFacts(config, stored, freeBytes),
    policy,
    ...storedFacts(config, stored),
  };
}

function kindsOf({ slack }: Config): Pick<Facts, "slackKind" | "transport"> {
  if (slack.kind === "playground") return { slackKind: "playground", transport: slack.transport };
  return { slackKind: slack.tokens.kind, transport: slack.transport.kind };
}

/** Without a database nothing runs; of one with another schema, nothing but its version is known. */
function storedFacts(config: Config, stored: Stored): Pick<Facts, "boundChannels" | "keys" | "replicas"> {
  const nothing = { boundChannels: [], keys: undefined };
  if (stored === undefined) return { ...nothing, replicas: [] };
  if (stored instanceof Error) return { ...nothing, replicas: undefined };
  const { inspection } = stored;
  const { at, known } = inspection.database.schema;
  if (at !== known) return { ...nothing, replicas: undefined };
  return {
    boundChannels: inspection.boundChannels.map(({ channelId }) => channelId),
    keys: keyFacts(config, inspection),
    replicas: inspection.replicas,
  };
}

/** Undefined where there is no database yet; an Error where it can't be read. */
type Stored = Looked | undefined | Error;

/** The account of the built-in workload API. */
const BUILT_IN = "gantry";

/** The account whose calls count; undefined when each workspace connects its own. */
function accountOf({ service }: Config): string | undefined {
  return service.kind === "remote" ? service.account?.username : BUILT_IN;
}

async function storedIn(config: Config, now: () => Date): Promise<Stored> {
  const day = now().toISOString().slice(0, 10);
  try {
    return await lookIntoStore(placeOf(config), { username: accountOf(config), day });
  } catch (error) {
    // A file that is no database, a missing certificate, a role without rights: the line says which.
    return error instanceof Error ? error : new Error(String(error));
  }
}

function placeOf({ store, dataDir }: Config): LookPlace {
  return store.kind === "sqlite" ? { kind: "sqlite", dataDir } : { ...store, tls: loadTls(store.tls) };
}

function databaseFacts({ store, dataDir }: Config, stored: Stored, freeBytes: number | undefined): DatabaseFacts {
  if (stored instanceof Error) return databaseAway(stored);
  if (stored === undefined) return { kind: "missing", path: databaseFile(dataDir) };
  return { ...stored.inspection.database, freeBytes: store.kind === "sqlite" ? freeBytes : undefined };
}

async function apiFacts(config: Config, network: Network, looked: Looked | undefined): Promise<ApiFacts> {
  const { service, settings } = config;
  const count = looked?.calls ?? 0;
  if (service.kind === "embedded") {
    return { kind: "inside", account: BUILT_IN, calls: { count, perDay: service.callsPerDay } };
  }
  const { url, account } = service;
  if (account === undefined) {
    const { workspaceAccounts: connected = 0, installations = [] } = looked?.inspection ?? {};
    return { kind: "own", host: hostOf(url), connected, workspaces: installations.length };
  }
  return askApi({
    api: createApi({ baseUrl: url, fetch: network.fetch }),
    account,
    settings,
    calls: { count, perDay: undefined },
  });
}
