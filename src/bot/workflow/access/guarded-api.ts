import type { Answer, EnvVar, Job, Service } from "../../../api/answers.ts";
import type { Api, GuardedApi } from "../../../api/client.ts";
import type { EngineInfo } from "../../../api/engine-info.ts";
import type { Call, OperationId } from "../../../api/operations.ts";
import { Problem } from "../../../api/problem.ts";
import { inWords, notInWords, type Redacted } from "../../../api/redacted.ts";
import { forEachInTurns } from "../../../platform/turns.ts";
import { redact } from "../../logs/redact.ts";
import { mayRepeat } from "../../logs/secret-values.ts";
import type { EnvValues, Named } from "./env-values.ts";

// Every answer of the workload API passes through here. Its texts may repeat a secret, so they are redacted with the known values of
// environment variables. Log lines pass unchanged: their reader redacts them, because that needs their order.

/** Of a list, so many without values are kept, the last ones: they take the place of others that have some. */
const MOST_WITHOUT = 4_000;

/** The API with redacted texts. Remembers the values of variables from calls and answers. */
export function guardedApi(api: Omit<Api, "isolated">, seen: EnvValues): GuardedApi {
  // Callers who share a read get the same answer, of the same account: a long list is gone through once.
  const guarded = new WeakMap<object, Promise<void>>();
  return {
    ...api,
    async engine() {
      const info = await api.engine();
      if (info !== undefined) hideIn(info, () => []);
      return info as EngineInfo | undefined; // its words were just redacted
    },
    as({ username, token }) {
      const inner = api.as({ username, token });
      return {
        async send(call, options = {}) {
          noteCall(call, username, seen);
          const about = workloadOf(call);
          const hide = (text: string): Redacted =>
            withoutSecrets(text, about === undefined ? [] : seen.values(username, about));
          const { onWarnings, ...rest } = options;
          try {
            const answer = await inner.send(call, {
              ...rest,
              ...(onWarnings && { onWarnings: (warnings) => onWarnings(warnings.map(hide)) }),
            });
            const guarding = guarded.get(answer) ?? guardAnswer(call, answer, { username, seen });
            guarded.set(answer, guarding);
            await guarding;
            return answer as Answer<typeof call.op>; // its words were just redacted
          } catch (error) {
            throw error instanceof Problem ? error.inOtherWords(hide) : error;
          }
        },
      };
    },
  };
}

function withoutSecrets(text: string, secrets: readonly string[]): Redacted {
  // What is made of values to look for them takes much more memory than they do: it is made for few sentences, and not kept.
  return redact(text, mayRepeat(text, secrets) ? [...secrets] : []);
}

type Outline = {
  readonly op: OperationId;
  readonly path: { readonly region: string; readonly service_name?: string; readonly job_name?: string };
  readonly body: unknown;
};

function workloadOf({ path: { region, service_name: service, job_name: job } }: Outline): Named | undefined {
  if (service !== undefined) return { kind: "service", region, name: service };
  return job === undefined ? undefined : { kind: "job", region, name: job };
}

/** Values that are sent: the workload may log them, and a refusal repeat them, before anyone reads it. */
function noteCall(call: Outline, account: string, seen: EnvValues): void {
  const { op, body } = call;
  const workload = workloadOf(call);
  if (workload === undefined) return;
  if (op === "createService" || op === "createJob") {
    const { containers } = body as Call<"createService" | "createJob">["body"]; // that of the op
    seen.add(account, workload, envOf(containers));
  }
  if (op === "updateService") {
    const { containers = [] } = body as Call<"updateService">["body"]; // that of the op
    seen.add(
      account,
      workload,
      containers.flatMap(({ env }) => env?.set ?? []),
    );
  }
}

type Guarding = { readonly username: string; readonly seen: EnvValues };

async function guardAnswer(call: Outline, answer: object, { username, seen }: Guarding): Promise<void> {
  const { region } = call.path;
  const about = workloadOf(call);
  const { services = [], jobs = [] } = workloadsIn(call.op, answer);
  let left = services.length + jobs.length;
  // What a write answers. The lines of a log are an array.
  if (left === 0 && !Array.isArray(answer)) hideIn(answer, () => (about ? seen.values(username, about) : []));
  const guardOne = (
    workload: Named,
    { whole, containers }: { readonly whole: object; readonly containers: readonly Container[] | undefined },
  ): void => {
    left -= 1;
    // Lists may omit containers; that doesn't mean there are none.
    if (containers !== undefined) {
      const env = envOf(containers);
      if (env.length > 0 || left < MOST_WITHOUT) seen.remember(username, workload, env);
    }
    hideIn(whole, () => seen.values(username, workload));
  };
  await forEachInTurns(services, (service) =>
    guardOne({ kind: "service", region, name: service.name }, { whole: service, containers: service.containers }),
  );
  await forEachInTurns(jobs, (job) =>
    guardOne(
      { kind: "job", region, name: job.metadata.name },
      { whole: job, containers: job.spec?.template?.spec?.containers },
    ),
  );
}

const words: ReadonlySet<string> = new Set(inWords);
const others: ReadonlySet<string> = new Set(notInWords);

/** Redacts the words in an object that was just read: nobody has seen it yet. Twice changes nothing. */
function hideIn(value: object, secrets: () => readonly string[]): void {
  for (const [key, part] of Object.entries(value)) {
    if (typeof part === "string") {
      if (words.has(key)) (value as Record<string, unknown>)[key] = withoutSecrets(part, secrets()); // a text, as before
    } else if (typeof part === "object" && part !== null && !others.has(key)) hideIn(part as object, secrets);
  }
}

type Workloads = { readonly services?: readonly Service[]; readonly jobs?: readonly Job[] };

/** The op determines the type of the answer. */
function workloadsIn(op: OperationId, answer: unknown): Workloads {
  switch (op) {
    case "listServices":
    case "listJobs":
      return answer as Workloads; // see above
    case "getService":
      return { services: [answer as Service] }; // see above
    case "getJob":
      return { jobs: [answer as Job] }; // see above
    default:
      return {};
  }
}

type Container = { readonly env?: readonly EnvVar[] | null | undefined };

function envOf(containers: readonly Container[] | undefined): readonly EnvVar[] {
  return (containers ?? []).flatMap(({ env }) => env ?? []);
}
