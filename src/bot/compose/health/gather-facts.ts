import { StoreError } from "../../errors.ts";
import { statfs } from "node:fs/promises";
import type { ApiAccount, GuardedApi } from "../../../api/client.ts";
import type { Clock } from "../../../platform/clock.ts";
import { Problem, refusesAccount } from "../../../api/problem.ts";
import type { Settings } from "../../commands/command.ts";
import type { ApiFacts, SealedRows, SealedSample, Away, PolicyFacts } from "../../health/facts.ts";
import { type Sealer, SealError } from "../../accounts/seal.ts";
import { isGroupId } from "../../policy/policy-words.ts";
import type { Policy } from "../../policy/policy.ts";

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
