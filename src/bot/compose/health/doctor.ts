import { createEnvValues } from "../../workflow/access/env-values.ts";
import { guardedApi } from "../../workflow/access/guarded-api.ts";
import { pino } from "pino";
import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createApi } from "../../../api/client.ts";
import { loadTls } from "../../../platform/database/database-tls.ts";
import {
  type ApiFacts,
  type DatabaseFacts,
  type Facts,
  type SlackFacts,
  type StoredInstallation,
  type Inspection,
  type KeyFacts,
  type PolicyFacts,
  reportsOf,
} from "../../health/facts.ts";
import { createNetwork, type Network } from "../../../platform/http/network.ts";
import { findingsOf } from "../../health/checkup.ts";
import { broken, type Finding } from "../../health/finding.ts";
import { databaseFile } from "../../store/database/session.ts";
import { type StoreInspection, inspectStore, type UnsharedPlace } from "../../store/database/inspect.ts";
import { defaultPolicy, PolicyError } from "../../policy/read-policy.ts";
import { policyTrouble } from "../followed-file.ts";
import { readPolicies, watchesInFile } from "../operator-files.ts";
import { configuredKeyring, keyFileOf } from "../keys.ts";
import { manifestScopes } from "../manifest.ts";
import { type Config, readConfig } from "../config.ts";
import { ConfigError } from "../config-problems.ts";
import { askApi, databaseAway, freeBytesOf, hostOf, policyFacts, sealedRowsOf } from "./bot-checkup.ts";
import { createSealer, type Sealer } from "../../accounts/seal.ts";
import { askForConnection, askSlack } from "../../slack/directory/ask-slack.ts";
import { openTokens } from "../../slack/install/oauth.ts";
import type { SlackAccess } from "../../slack/send/clients.ts";
import { type Clock, machineClock } from "../../../platform/clock.ts";

/** Checks the deployment of this environment from the outside, while Gantry runs or not. Changes nothing. */
export async function doctor(env: Readonly<Record<string, string | undefined>>): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(wrongSetting);
    throw error;
  }
  const network = createNetwork(config.proxy);
  try {
    return findingsOf(await factsOf(config, network, machineClock));
  } finally {
    await network.close();
  }
}

/** "PORT must be a number. Set it to …": the first sentence says what is wrong, the others what to do. */
function wrongSetting(problem: string): Finding {
  const [says = problem, ...todo] = problem.split(/(?<=[.!?])\s+(?=[A-Z])/u);
  const instead = "Correct it in .env or the environment; docs/configuration.md lists all settings.";
  const judged = broken(says.replace(/\.$/u, ""), todo.length === 0 ? instead : todo.join(" "));
  return { check: "gantry.settings", area: "Gantry", ...judged };
}

async function factsOf(config: Config, network: Network, clock: Clock): Promise<Facts> {
  const { slack, store, dataDir } = config;
  const needsTeam = slack.kind === "real" && slack.tokens.kind === "oauth";
  const [stored, policy, watches, freeBytes] = await Promise.all([
    storedIn(config, clock),
    policyInFile(config.policyPath),
    watchesInFile({ path: config.watchesPath, needsTeam }),
    freeBytesOf(dataDir),
  ]);
  const inspected = stored instanceof Error ? undefined : stored;
  const asking = { config, network, clock };
  const [slackFacts, appToken, api] = await Promise.all([
    askWorkspaces(asking, inspected),
    askApp(asking),
    apiFacts(asking, inspected),
  ]);
  const database: DatabaseFacts =
    stored instanceof Error
      ? databaseAway(stored)
      : stored === undefined
        ? { kind: "missing", path: databaseFile(dataDir) }
        : { ...stored.inspection.database, freeBytes: store.kind === "sqlite" ? freeBytes : undefined };
  const known = storedFacts(config, stored);
  return {
    now: clock.now(),
    ...(slack.kind === "playground"
      ? { slackKind: "playground", transport: slack.transport }
      : { slackKind: slack.tokens.kind, transport: slack.transport.kind }),
    slack: slackFacts,
    appToken,
    scopes: manifestScopes(),
    api,
    database,
    policy: { ...policy, elsewhere: otherPolicies(known, policy) },
    watches,
    ...known,
  };
}

/** Of live replicas, by what each says with its heartbeat: they may have other settings than this process. */
function otherPolicies(known: Pick<Facts, "replicas">, { source, rules }: PolicyFacts) {
  return reportsOf(known)
    .map(({ host, policy }) => ({ host, source: policy.source, rules: policy.rules }))
    .filter((running) => running.source !== source || running.rules !== rules);
}

/** Undefined where there is no database yet; an Error where it can't be read. */
type Stored = StoreInspection | undefined | Error;

/** The account of the built-in workload API. */
const BUILT_IN = "gantry";

async function storedIn({ service, store, dataDir }: Config, clock: Pick<Clock, "now">): Promise<Stored> {
  // The account whose calls count; undefined when each workspace connects its own.
  const username = service.kind === "remote" ? service.account?.username : BUILT_IN;
  try {
    const place: UnsharedPlace =
      store.kind === "sqlite" ? { kind: "sqlite", dataDir } : { ...store, tls: loadTls(store.tls) };
    return await inspectStore(place, { username, day: clock.now().toISOString().slice(0, 10) });
  } catch (error) {
    // A file that is no database, a missing certificate, a role without rights: the line says which.
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Without a database nothing runs; of one with another schema, nothing but its version is known. */
function storedFacts(
  config: Config,
  stored: Stored,
): Pick<Facts, "boundChannels" | "keys" | "replicas" | "lastHeartbeat" | "failingReceivers"> {
  const nothing = { boundChannels: [], keys: undefined, failingReceivers: [] };
  if (stored === undefined) return { ...nothing, replicas: [] };
  if (stored instanceof Error) return { ...nothing, replicas: undefined };
  const { inspection } = stored;
  const { at, known } = inspection.database.schema;
  if (at !== known) return { ...nothing, replicas: undefined };
  return {
    boundChannels: inspection.boundChannels.map(({ channelId }) => channelId),
    keys: keyFacts(config, inspection),
    replicas: inspection.replicas,
    lastHeartbeat: inspection.lastHeartbeat,
    failingReceivers: inspection.failingReceivers,
  };
}

/** The policy as the file says it now; the built-in one without a path. */
async function policyInFile(path: string | undefined): Promise<PolicyFacts> {
  if (path === undefined) return policyFacts(defaultPolicy, undefined);
  const failure = await stat(path).then(
    () => undefined,
    (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
  );
  if (failure !== undefined)
    return { source: path, rules: 0, groups: [], problem: `${path} can't be read (${failure}).` };
  try {
    const policies = await readPolicies(path);
    return policyFacts(policies.of(undefined), undefined);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return { source: path, rules: 0, groups: [], problem: policyTrouble(error) };
  }
}

async function apiFacts({ config, network, clock }: Asking, inspected: StoreInspection | undefined): Promise<ApiFacts> {
  const { service, settings } = config;
  const count = inspected?.calls ?? 0;
  if (service.kind === "embedded") {
    return { kind: "inside", account: BUILT_IN, calls: { count, perDay: service.callsPerDay } };
  }
  const { url, account } = service;
  if (account === undefined) {
    const { workspaceAccounts: connected = 0, installations = [] } = inspected?.inspection ?? {};
    return { kind: "own", host: hostOf(url), connected, workspaces: installations.length };
  }
  return askApi({
    api: guardedApi(createApi({ baseUrl: url, send: network.send, clock }), createEnvValues(clock)),
    account,
    settings,
    calls: { count, perDay: undefined },
    clock,
  });
}

type Asking = { readonly config: Config; readonly network: Network; readonly clock: Clock };

/** Without a log: what fails is a line of its own. */
const silent = pino({ level: "silent" });
/** More would take long, and Slack limits calls. */
const MOST = 20;

/** What Slack says about each workspace's token. */
async function askWorkspaces(asking: Asking, inspected: StoreInspection | undefined): Promise<readonly SlackFacts[]> {
  const { config, clock } = asking;
  const { slack } = config;
  if (slack.kind === "playground") return [];
  const ask = (access: SlackAccess, workspace: string | undefined): Promise<SlackFacts> =>
    askSlack({ access, workspace, nowMs: () => clock.now().getTime(), log: silent });
  if (slack.tokens.kind === "one") return [await ask(accessOf(asking, slack.tokens.botToken), undefined)];
  const keyring = configuredKeyring(config);
  const installed = inspected?.inspection.installations.slice(0, MOST) ?? [];
  if ("problem" in keyring) return installed.map(({ name }) => unopened(name));
  const sealer = createSealer(keyring.keys);
  return Promise.all(
    installed.map(async (each) => {
      const token = tokenOf(sealer, each);
      if (token === undefined) return unopened(each.name);
      const { teamId } = each;
      return ask({ ...accessOf(asking, token), ...(teamId !== undefined && { teamId }) }, each.name);
    }),
  );
}

/** Undefined over HTTP, and in the playground. */
async function askApp({ config, network }: Omit<Asking, "clock">): Promise<Facts["appToken"]> {
  const { slack } = config;
  if (slack.kind === "playground" || slack.transport.kind === "http") return undefined;
  return askForConnection(accessOf({ config, network }, ""), slack.transport.appToken, silent);
}

function accessOf({ config, network }: Omit<Asking, "clock">, botToken: string): SlackAccess {
  const apiUrl = config.slack.kind === "real" ? config.slack.apiUrl : undefined;
  return { botToken, network, ...(apiUrl !== undefined && { apiUrl }) };
}

function tokenOf(sealer: Sealer, installation: StoredInstallation): string | undefined {
  try {
    return openTokens(sealer, installation).botToken;
  } catch {
    return undefined;
  }
}

function unopened(workspace: string): SlackFacts {
  const channels = { kind: "away", why: "the token can't be opened" } as const; // a literal kind
  return { workspace, token: { kind: "sealed" }, scopes: undefined, aheadMs: undefined, channels, groups: undefined };
}

/** The configured keys, and what they open of what is stored. Makes no key file, unlike a start. */
function keyFacts(config: Pick<Config, "keys" | "dataDir">, inspection: Inspection): KeyFacts {
  const file = keyFileOf(config);
  const keyring = configuredKeyring(config);
  const nothing = { ids: [], sealed: [], exposedFile: undefined };
  if ("problem" in keyring) return { ...nothing, problem: keyring.problem };
  const sealer = createSealer(keyring.keys);
  return {
    ids: sealer.keyIds,
    sealed: sealedRowsOf(sealer, inspection.sealed),
    exposedFile: file !== undefined && (statSync(file).mode & 0o077) !== 0 ? file : undefined,
  };
}
