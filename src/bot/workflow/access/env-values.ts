import type { EnvVar, Job, Service } from "../../../api/answers.ts";
import type { Api } from "../../../api/client.ts";
import type { Call, OperationId } from "../../../api/operations.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { WorkloadRef } from "../../changes/change.ts";
import { forEachInTurns } from "../../../platform/turns.ts";
import { isSecretValue, MOST_SECRET_CHARACTERS } from "../../logs/secret-values.ts";

/** Environment variable values that this process has read or sent, for redacting logs. In memory only. */
export type EnvValues = {
  readonly note: (account: string, workload: Named, env: readonly EnvVar[]) => void;
  readonly values: (account: string, workload: Named) => readonly string[];
  /** Whether it was read recently. */
  readonly isFresh: (account: string, workload: Named) => boolean;
};

type Named = Pick<WorkloadRef, "kind" | "region" | "name">;
type Kept = { readonly values: readonly string[]; readonly at: number };

/** Shared by all workloads without values: lists have thousands of them. */
const NONE: readonly string[] = [];
const FRESH_MS = 5 * 60_000;
const MOST_WORKLOADS = 5_000;
/** Of a list, so many without values are kept, the last ones: they take the place of others that have some. */
const MOST_WITHOUT = 4_000;
/** In total, in characters. */
const MOST_KEPT = 8 * 1024 * 1024;

/** What is known of the workloads of one kind of an account in a region, by their names. */
type Place = Pick<Named, "kind" | "region"> & { readonly account: string; readonly names: Map<string, Kept> };

export function createEnvValues(clock: Pick<Clock, "now">): EnvValues {
  /** Least recently noted first. One key per place: a key per workload would cost more than the rest of a list. */
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
  return {
    note(account, workload, env) {
      const { names } = placeFor(account, workload);
      const { name, region } = workload;
      const before = names.get(name)?.values ?? NONE;
      // Most have none, in lists of thousands.
      const values = env.length === 0 && before.length === 0 ? before : bounded(secretsIn(env, [name, region]), before);
      forget(names, name);
      names.set(name, { values, at: clock.now().getTime() });
      count += 1;
      size += sizeOf(values);
      makeRoom();
    },
    values: (account, workload) => find(account, workload)?.values ?? [],
    isFresh(account, workload) {
      const entry = find(account, workload);
      return entry !== undefined && clock.now().getTime() - entry.at < FRESH_MS;
    },
  };
}

/** Names and regions are not secret and appear in many lines. */
function secretsIn(env: readonly EnvVar[], known: readonly string[]): readonly string[] {
  const read = env.map(({ value = "" }) => value);
  return [...new Set(read.filter((value) => isSecretValue(value) && !known.includes(value)))];
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

/** Wraps an API to remember environment values in calls and answers. */
export function rememberingEnv(api: Api, seen: EnvValues): Api {
  // Callers who share a read get the same answer, of the same account: a long list is gone through once.
  const noted = new WeakMap<object, Promise<void>>();
  return {
    ...api,
    as(account) {
      const inner = api.as(account);
      return {
        async send(call, options) {
          noteCall(call, account.username, seen);
          const answer = await inner.send(call, options);
          const note: Note = (workload, env) => seen.note(account.username, workload, env);
          const noting = noted.get(answer) ?? noteAnswer(call, answer, note);
          noted.set(answer, noting);
          await noting;
          return answer;
        },
      };
    },
  };
}

/** Values in a create: the workload may log them before anyone reads it. */
function noteCall({ op, path, body }: Outline, account: string, seen: EnvValues): void {
  if (op !== "createService" && op !== "createJob") return;
  const [kind, name] =
    op === "createJob" ? (["job", path.job_name] as const) : (["service", path.service_name] as const);
  const containers = (body as Call<"createService" | "createJob">["body"]).containers; // that of the op
  if (name !== undefined) seen.note(account, { kind, region: path.region, name }, envOf(containers));
}

type Outline = {
  readonly op: OperationId;
  readonly path: { readonly region: string; readonly service_name?: string; readonly job_name?: string };
  readonly body: unknown;
};
type Note = (workload: Named, env: readonly EnvVar[]) => void;

async function noteAnswer({ op, path: { region } }: Outline, answer: unknown, note: Note): Promise<void> {
  const { services = [], jobs = [] } = workloadsIn(op, answer);
  let left = services.length + jobs.length;
  const noteOne = (workload: Named, containers: readonly Container[] | undefined): void => {
    left -= 1;
    // Lists may omit containers; that doesn't mean there are none.
    if (containers === undefined) return;
    const env = envOf(containers);
    if (env.length > 0 || left < MOST_WITHOUT) note(workload, env);
  };
  await forEachInTurns(services, ({ name, containers }) => noteOne({ kind: "service", region, name }, containers));
  await forEachInTurns(jobs, ({ metadata: { name }, spec }) =>
    noteOne({ kind: "job", region, name }, spec?.template?.spec?.containers),
  );
}

type Workloads = { readonly services?: readonly Service[]; readonly jobs?: readonly Job[] };

/** The op determines the type of the answer. */
function workloadsIn(op: OperationId, answer: unknown): Workloads {
  if (op === "listServices" || op === "listJobs") return answer as Workloads; // see above
  if (op === "getService") return { services: [answer as Service] }; // see above
  return op === "getJob" ? { jobs: [answer as Job] } : {}; // see above
}

type Container = { readonly env?: readonly EnvVar[] | null | undefined };

function envOf(containers: readonly Container[] | undefined): readonly EnvVar[] {
  return (containers ?? []).flatMap(({ env }) => env ?? []);
}
