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

const FRESH_MS = 5 * 60_000;
const MOST_WORKLOADS = 5_000;
/** Of a list, so many without values are kept, the last ones: they take the place of others that have some. */
const MOST_WITHOUT = 4_000;
/** In total, in characters. */
const MOST_KEPT = 8 * 1024 * 1024;

export function createEnvValues(clock: Pick<Clock, "now">): EnvValues {
  const kept = new Map<string, Kept>();
  let size = 0;
  const forget = (key: string): void => {
    size -= sizeOf(kept.get(key)?.values ?? []);
    kept.delete(key);
  };
  // Many at once: to find the first of a map takes as long as many before it were deleted.
  const makeRoom = (): void => {
    if (size <= MOST_KEPT && kept.size <= MOST_WORKLOADS) return;
    for (const oldest of kept.keys()) {
      forget(oldest);
      if (size <= 0.9 * MOST_KEPT && kept.size <= 0.9 * MOST_WORKLOADS) return;
    }
  };
  return {
    note(account, workload, env) {
      const key = keyOf(account, workload);
      const before = kept.get(key)?.values ?? [];
      // Most have none, in lists of thousands.
      if (env.length === 0 && before.length === 0) {
        kept.delete(key);
        kept.set(key, { values: before, at: clock.now().getTime() });
        return makeRoom();
      }
      // Names and regions are not secret and appear in many lines.
      const known = new Set<string>([workload.name, workload.region]);
      const read = env.map(({ value = "" }) => value);
      const secret = new Set(read.filter((value) => isSecretValue(value) && !known.has(value)));
      const values = bounded([...secret], before);
      forget(key);
      kept.set(key, { values, at: clock.now().getTime() });
      size += sizeOf(values);
      makeRoom();
    },
    values: (account, workload) => kept.get(keyOf(account, workload))?.values ?? [],
    isFresh(account, workload) {
      const entry = kept.get(keyOf(account, workload));
      return entry !== undefined && clock.now().getTime() - entry.at < FRESH_MS;
    },
  };
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
function keyOf(account: string, { kind, region, name }: Named): string {
  return `${account}\n${kind}\n${region}\n${name}`;
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
