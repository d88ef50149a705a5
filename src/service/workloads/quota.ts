import { Refusal } from "../engine.ts";
import type { Container } from "./definitions.ts";
import type { Runtime } from "./runtime.ts";

/** An amount used or allowed. Each container of an instance counts as one instance, because it is a separate unit. */
export type Amount = {
  readonly instances: number;
  readonly memoryMib: number;
  readonly ports: number;
  readonly workloads: number;
};

export type Quotas = { readonly user: Amount; readonly host: Amount };

/** Reservations by workload. Counts everything that should run, started or not. */
export type Ledger = {
  /**
   * Replaces the workload's reservation and returns a function that undoes it. Throws a `Refusal` 403 with the numbers
   * when a quota is exceeded. Reducing always works.
   */
  readonly reserve: (workload: Owner, amount: Amount) => () => void;
  /** Records an existing workload without a check. */
  readonly keep: (workload: Owner, amount: Amount) => void;
  readonly release: (uid: string) => void;
};

type Owner = { readonly uid: string; readonly username: string };

type Sized = { readonly containers: readonly Container[]; readonly size: number; readonly ports: number };

/** The amount that `size` instances of a workload need. */
export function amountOf({ containers, size, ports }: Sized, reservedMib: Runtime["reservedMib"]): Amount {
  const perInstance = containers.reduce((sum, { memoryMib }) => sum + reservedMib(memoryMib), 0);
  return { instances: size * containers.length, memoryMib: size * perInstance, ports, workloads: 1 };
}

type Entry = { readonly username: string; readonly amount: Amount };

export function makeLedger(quotas: Quotas): Ledger {
  const entries = new Map<string, Entry>();

  function shortage({ uid, username }: Owner, amount: Amount): string | undefined {
    const before = entries.get(uid)?.amount ?? NOTHING;
    for (const key of DIMENSIONS) {
      const more = amount[key] - before[key];
      if (more <= 0) continue;
      const all = [...entries.values()];
      const own = sum(
        all.filter((entry) => entry.username === username),
        key,
      );
      if (own + more > quotas.user[key]) return words[key]("This user", { limit: quotas.user[key], taken: own, more });
      const total = sum(all, key);
      if (total + more > quotas.host[key]) {
        return words[key]("This host", { limit: quotas.host[key], taken: total, more });
      }
    }
    return undefined;
  }

  function put(uid: string, entry: Entry | undefined): void {
    if (entry) entries.set(uid, entry);
    else entries.delete(uid);
  }

  return {
    reserve(owner, amount) {
      const problem = shortage(owner, amount);
      if (problem !== undefined) throw new Refusal(403, `${problem} Nothing was changed.`);
      const before = entries.get(owner.uid);
      put(owner.uid, { username: owner.username, amount });
      return () => put(owner.uid, before);
    },
    keep: ({ uid, username }, amount) => put(uid, { username, amount }),
    release: (uid) => put(uid, undefined),
  };
}

const NOTHING: Amount = { instances: 0, memoryMib: 0, ports: 0, workloads: 0 };
const DIMENSIONS = ["instances", "memoryMib", "ports", "workloads"] as const;

function sum(entries: readonly Entry[], key: keyof Amount): number {
  return entries.reduce((total, { amount }) => total + amount[key], 0);
}

type Numbers = { readonly limit: number; readonly taken: number; readonly more: number };
type Words = (who: string, numbers: Numbers) => string;

const words: { readonly [K in keyof Amount]: Words } = {
  instances: (who, { limit, taken, more }) =>
    `${who} may run ${limit} instances; ${taken} are in use, and this request needs ${more} more.`,
  memoryMib: (who, { limit, taken, more }) =>
    `${who} may reserve ${limit} MiB of memory; ${taken} MiB are in use, and this request needs ${more} MiB more.`,
  ports: (who, { limit, taken, more }) =>
    `${who} may have ${limit} port mappings; ${taken} are in use, and this request needs ${more} more.`,
  workloads: (who, { limit, taken, more }) =>
    `${who} may have ${limit} services and jobs; ${taken} exist, and this request needs ${more} more.`,
};
