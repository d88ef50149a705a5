import type { SlackAccess } from "../../slack/send/clients.ts";
import type {
  Facts,
  Inspection,
  LiveReplica,
  ReplicaReport,
  ApiFacts,
  SealedRows,
  SealedSample,
  Away,
  PolicyFacts,
} from "../../health/facts.ts";
import { findingsOf } from "../../health/checkup.ts";
import { type Finding, worstOf } from "../../health/finding.ts";
import { askSlack } from "../../slack/directory/ask-slack.ts";
import { readOr, StoreError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import type { WorkflowParts } from "../../workflow/ports.ts";
import type { ApiAccount, GuardedApi } from "../../../api/client.ts";
import { manifestScopes } from "../manifest.ts";
import type { Clock } from "../../../platform/clock.ts";
import { statfs } from "node:fs/promises";
import { Problem, refusesAccount } from "../../../api/problem.ts";
import type { Settings } from "../../commands/command.ts";
import { type Sealer, SealError } from "../../accounts/seal.ts";
import { isGroupId } from "../../policy/policy-words.ts";
import type { Policy } from "../../policy/policy.ts";

/** What only the composition knows. */
export type HealthParts = {
  readonly callsPerDay?: number | undefined;
  /** Free bytes on the disk of the data folder, for SQLite. */
  readonly freeBytes?: () => Promise<number | undefined>;
  /** Why the changed policy file isn't in force. */
  readonly policyProblem?: (teamId?: string) => string | undefined;
  /** The file of watches. */
  readonly watches?: () => Facts["watches"];
};

type Parts = Pick<WorkflowParts, "accounts" | "api" | "calls" | "log" | "policy" | "sealer" | "settings"> & {
  readonly access: SlackAccess;
  /** The account that the operator set. */
  readonly account: ApiAccount | undefined;
  readonly health?: HealthParts | undefined;
  /** Of all workspaces. With `oauth`, several may use this deployment. */
  readonly slack: { readonly transport: { readonly kind: "http" | "socket" }; readonly oauth?: object };
  readonly store: Pick<Store, "inspect">;
  /** Of the workspace. */
  readonly teamId: () => string | undefined;
  readonly clock: Pick<Clock, "elapsedMs" | "now">;
  /** About this replica, for when the database can't be read. */
  readonly report: () => Promise<ReplicaReport>;
};

/** Several people may ask at once, and each check-up costs a call of the workload API. */
const FRESH_MS = 10_000;

/** The check-up behind `/gantry status`, about one workspace. Never rejects. */
export function createCheckup(parts: Parts): () => Promise<readonly Finding[]> {
  let last: { readonly atMs: number; readonly findings: Promise<readonly Finding[]> } | undefined;
  return () => {
    const atMs = parts.clock.now().getTime();
    if (last === undefined || atMs - last.atMs >= FRESH_MS) last = { atMs, findings: findings(parts) };
    return last.findings;
  };
}

async function findings(parts: Parts): Promise<readonly Finding[]> {
  const { access, clock, health, log, report, slack: app, store } = parts;
  const isOneOfMany = app.oauth !== undefined;
  const [slack, api, stored, own, freeBytes] = await Promise.all([
    askSlack({ access, workspace: undefined, nowMs: () => clock.now().getTime(), log }),
    apiFacts(parts),
    store.inspect().catch((error: unknown) => {
      if (error instanceof StoreError) return error;
      throw error;
    }),
    report(),
    health?.freeBytes?.(),
  ]);
  const all = findingsOf({
    now: clock.now(),
    slackKind: "one",
    transport: app.transport.kind,
    slack: [slack],
    appToken: undefined,
    scopes: manifestScopes(),
    api,
    policy: policyFacts(parts.policy(), health?.policyProblem?.(isOneOfMany ? parts.teamId() : undefined)),
    watches: health?.watches?.(),
    ...storedFacts({ ...parts, stored, own, freeBytes }),
  });
  return isOneOfMany ? forOneOfMany(all) : all;
}

/** What one workspace's admins may know of a deployment that others use as well: nothing about machines, errors or keys. */
const aboutOne: ReadonlySet<string> = new Set([
  "slack.token",
  "slack.scopes",
  "slack.clock",
  "slack.channels",
  "api.answer",
  "api.calls",
  "gantry.policy",
]);

function forOneOfMany(all: readonly Finding[]): readonly Finding[] {
  const others = Object.entries(
    Object.groupBy(
      all.filter(({ check }) => !aboutOne.has(check)),
      ({ area }) => area,
    ),
  );
  const summed = others.map(([area, found]): Finding => {
    const state = worstOf(found);
    const common = { check: "shared", area: found[0]?.area ?? "Gantry" };
    if (state === "ok") return { ...common, state, says: `${area}: everything shared by all workspaces works` };
    return {
      ...common,
      state,
      says: `${area}: something shared by all workspaces has a problem`,
      todo: "Contact whoever runs Gantry.",
    };
  });
  return [...all.filter(({ check }) => aboutOne.has(check)), ...summed];
}

async function apiFacts(parts: Parts): Promise<Facts["api"]> {
  const { accounts, api, calls, clock, health, settings, teamId } = parts;
  const account = parts.account ?? (await workspaceAccount(accounts, teamId()));
  if (account === undefined) {
    const host = hostOf(settings.serviceUrl);
    return { kind: "own", host, connected: 0, workspaces: 1 };
  }
  const { count } = await calls.today(account.username);
  return askApi({ api, account, settings, calls: { count, perDay: health?.callsPerDay }, clock });
}

/** Of nobody and no channel, so the workspace's. Undefined when none is connected, or the database is away. */
async function workspaceAccount(accounts: Parts["accounts"], teamId = ""): Promise<ApiAccount | undefined> {
  const resolved = await readOr(accounts.resolve({ teamId, userId: "", channelId: "" }, "read"), undefined);
  return resolved?.account;
}

type Stored = Pick<Parts, "sealer" | "teamId"> & {
  readonly stored: Inspection | StoreError;
  readonly own: ReplicaReport;
  readonly freeBytes: number | undefined;
};

function storedFacts({ sealer, teamId, stored, own, freeBytes }: Stored) {
  if (stored instanceof StoreError) {
    // This replica still knows about itself.
    const replicas = [{ id: "this", report: own }];
    return { boundChannels: [], database: databaseAway(stored), keys: undefined, replicas, failingReceivers: [] };
  }
  return {
    boundChannels: stored.boundChannels.flatMap((each) => (each.teamId === teamId() ? [each.channelId] : [])),
    database: { ...stored.database, freeBytes },
    keys: { ids: sealer.keyIds, sealed: sealedRowsOf(sealer, stored.sealed), exposedFile: undefined },
    failingReceivers: stored.failingReceivers,
    replicas: withOwn(stored.replicas, own),
  };
}

/**
 * Replaces or adds our own report: the stored one is up to 2 s old and doesn't count the command that asks, and a
 * read-only database has none.
 */
function withOwn(stored: readonly LiveReplica[], own: ReplicaReport): readonly LiveReplica[] {
  const isOwn = ({ report }: LiveReplica): boolean => report?.host === own.host && report.startedAt === own.startedAt;
  if (!stored.some(isOwn)) return [...stored, { id: "this", report: own }];
  return stored.map((each) => (isOwn(each) ? { ...each, report: own } : each));
}

type Asking = {
  readonly api: Pick<GuardedApi, "as" | "engine">;
  readonly account: ApiAccount;
  readonly settings: Pick<Settings, "region" | "serviceUrl">;
  readonly calls: { readonly count: number; readonly perDay: number | undefined };
  readonly clock: Pick<Clock, "elapsedMs">;
};

const WITHIN_MS = 4_000;

/** One read with the workspace's account, and the engine if the workload API tells about it. Never rejects. */
export async function askApi({ api, account, settings, calls, clock }: Asking): Promise<ApiFacts> {
  const { region, serviceUrl } = settings;
  const [answer, engine] = await Promise.all([read({ api, account, clock }, region), api.engine()]);
  return { kind: "asked", host: hostOf(serviceUrl), account: account.username, region, answer, calls, engine };
}

type Answer = Extract<ApiFacts, { readonly kind: "asked" }>["answer"];

async function read(
  { api, account, clock }: Pick<Asking, "api" | "account" | "clock">,
  region: string,
): Promise<Answer> {
  const began = clock.elapsedMs();
  try {
    await api
      .as(account)
      .send({ op: "listServices", path: { region }, query: undefined, body: undefined }, { budgetMs: WITHIN_MS });
    return { ok: true, ms: Math.round(clock.elapsedMs() - began) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ok: false, says: error.sentence.replace(/\.$/u, ""), isAccountRefused: refusesAccount(error) };
  }
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "The built-in workload API";
}

/** Tries to open a sample of what each key sealed. */
export function sealedRowsOf(sealer: Sealer, samples: readonly SealedSample[]): readonly SealedRows[] {
  return samples.map(({ sealed, bind, ...rows }) => ({
    ...rows,
    opens: opens(sealer, sealed, bind),
  }));
}

function opens(sealer: Sealer, sealed: string, bind: readonly string[]): SealedRows["opens"] {
  try {
    sealer.open(sealed, bind);
    return "yes";
  } catch (error) {
    if (error instanceof SealError) return error.reason;
    throw error;
  }
}

export function databaseAway(error: Error): Away {
  const why = error instanceof StoreError ? error.why : undefined;
  return { kind: "away", why: why ?? error.message };
}

/** Free bytes on the disk of a folder; undefined when the system doesn't say. */
export async function freeBytesOf(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** A policy, and the ids of the user groups that its rules name. */
export function policyFacts({ source, rules }: Policy, problem: string | undefined): PolicyFacts {
  const groups = rules.flatMap(({ who, end }) => [
    ...who.filter(isGroupId),
    ...(end.kind === "approve" ? end.terms.from.groups : []),
  ]);
  return { source, rules: rules.length, problem, groups: [...new Set(groups)] };
}
