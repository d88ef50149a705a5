import type { EnvVar } from "../../../api/answers.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { WorkloadRef } from "../../changes/change.ts";
import { isSecretVariable, MOST_SECRET_CHARACTERS } from "../../logs/secret-values.ts";
import type { Redacted } from "../../../api/redacted.ts";
import { type Reading, readWorkload } from "../../changes/read-workload.ts";
import type { Logs } from "../../commands/command.ts";
import type { Asked, LogPool } from "../../logs/threads/log-pool.ts";

/** Environment variable values that this process has read or sent, for redacting logs. In memory only. */
export type EnvValues = {
  /** Its complete environment. */
  readonly remember: (account: string, workload: Named, env: readonly EnvVar[]) => void;
  /** Variables that a request sets. */
  readonly add: (account: string, workload: Named, env: readonly EnvVar[]) => void;
  readonly values: (account: string, workload: Named) => readonly string[];
  /** Whether it was read recently. */
  readonly isFresh: (account: string, workload: Named) => boolean;
};

export type Named = Pick<WorkloadRef, "kind" | "region" | "name">;
type Kept = { readonly values: readonly string[]; readonly at: number };

/** Shared by all workloads without values: lists have thousands of them. */
const NONE: readonly string[] = [];
const FRESH_MS = 5 * 60_000;
const MOST_WORKLOADS = 5_000;
/** In total, in characters. */
const MOST_KEPT = 8 * 1024 * 1024;

/** What is known of the workloads of one kind of an account in a region, by their names. */
type Place = Pick<Named, "kind" | "region"> & { readonly account: string; readonly names: Map<string, Kept> };

export function createEnvValues(clock: Pick<Clock, "now">): EnvValues {
  /** Least recently used first. One key per place: a key per workload would cost more than the rest of a list. */
  const places = new Map<string, Place>();
  let last: Place | undefined;
  let count = 0;
  let size = 0;
  const placeFor = (account: string, { kind, region }: Named): Place => {
    if (last?.account === account && last.kind === kind && last.region === region) return last;
    const key = keyOf(account, { kind, region });
    last = places.get(key) ?? { account, kind, region, names: new Map() };
    places.delete(key);
    places.set(key, last);
    return last;
  };
  const forget = (names: Place["names"], name: string): void => {
    const entry = names.get(name);
    if (entry === undefined) return;
    names.delete(name);
    count -= 1;
    size -= sizeOf(entry.values);
  };
  // Many at once: to find the first of a map takes as long as many before it were deleted.
  const makeRoom = (): void => {
    if (size <= MOST_KEPT && count <= MOST_WORKLOADS) return;
    for (const [key, { names }] of places) {
      for (const oldest of names.keys()) {
        forget(names, oldest);
        if (size <= 0.9 * MOST_KEPT && count <= 0.9 * MOST_WORKLOADS) return;
      }
      places.delete(key);
    }
    last = undefined;
  };
  const find = (account: string, workload: Named): Kept | undefined =>
    places.get(keyOf(account, workload))?.names.get(workload.name);
  const keep = (account: string, workload: Named, env: readonly EnvVar[], at: number): void => {
    const { names } = placeFor(account, workload);
    const { name, region } = workload;
    const before = names.get(name)?.values ?? NONE;
    // Lists have thousands without values. Equal values keep the same array, because callers cache by it.
    const current = env.length === 0 ? NONE : secretsIn(env, [name, region]);
    const isSame = current.every((value, index) => before[index] === value);
    const values = isSame ? before : bounded(current, before);
    forget(names, name);
    names.set(name, { values, at });
    count += 1;
    size += sizeOf(values);
    makeRoom();
  };
  return {
    remember: (account, workload, env) => keep(account, workload, env, clock.now().getTime()),
    add: (account, workload, env) => keep(account, workload, env, find(account, workload)?.at ?? 0),
    values: (account, workload) => find(account, workload)?.values ?? NONE,
    isFresh(account, workload) {
      const entry = find(account, workload);
      return entry !== undefined && clock.now().getTime() - entry.at < FRESH_MS;
    },
  };
}

/** Its own name and region are not secret, and appear in many lines. */
function secretsIn(env: readonly EnvVar[], known: readonly string[]): readonly string[] {
  const secret = env.filter(isSecretVariable).map(({ value = "" }) => value);
  return [...new Set(secret.filter((value) => !known.includes(value)))];
}

/**
 * All current values, and as many old ones as fit, because older lines may contain them. Past the limit the rest doesn't
 * matter: the log is withheld.
 */
function bounded(current: readonly string[], old: readonly string[]): readonly string[] {
  const values = new Set<string>();
  let room = MOST_SECRET_CHARACTERS;
  for (const value of current) {
    if (room < 0) break;
    values.add(value.slice(0, room + 1));
    room -= value.length;
  }
  for (const value of old) {
    if (values.has(value)) continue;
    if (value.length > room) break;
    values.add(value);
    room -= value.length;
  }
  return [...values];
}

/** No account or region has a control character: a request with one isn't sent. */
function keyOf(account: string, { kind, region }: Pick<Named, "kind" | "region">): string {
  return `${account}\n${kind}\n${region}`;
}

function sizeOf(values: readonly string[]): number {
  return values.reduce((sum, value) => sum + value.length, 0);
}

type Of = Reading & { readonly account: string; readonly workload: Named; readonly who: string };

/** What logs say, without the known values of their workload's variables. */
export type WorkloadLogs = {
  /** For the verbs, with the account that the log is read with. */
  readonly readWith: (account: string, asked: Asked) => Logs;
  /**
   * One instance's lines. The values of its variables are read first where this process doesn't know them: after a start, and where
   * lists don't tell them. Throws UserError when checking the lines takes too long.
   */
  readonly redact: (lines: readonly string[], of: Of) => Promise<readonly Redacted[]>;
};

export function workloadLogs(pool: Pick<LogPool, "excerpt" | "redact">, env: EnvValues): WorkloadLogs {
  return {
    readWith: (account, asked) => ({
      excerpt: (request, workload) => pool.excerpt({ ...request, secrets: env.values(account, workload) }, asked),
      knowsEnv: (workload) => env.isFresh(account, workload),
    }),
    async redact(lines, { account, workload, who, api, signal }) {
      if (!env.isFresh(account, workload)) await readWorkload({ ...workload, uid: undefined }, { api, signal });
      return pool.redact({ lines, secrets: env.values(account, workload) }, { who, signal });
    },
  };
}
