import type { EnvVar, Job, Service } from "../../../api/answers.ts";
import type { Api } from "../../../api/client.ts";
import type { EngineRegion } from "../../../api/engine-info.ts";
import type { Call, OperationId } from "../../../api/operations.ts";
import { Problem } from "../../../api/problem.ts";
import { forEachInTurns } from "../../../platform/turns.ts";
import { redactLines } from "../../logs/redact.ts";
import { mayRepeat } from "../../logs/secret-values.ts";
import type { EnvValues, Named } from "./env-values.ts";

// All that Gantry reads of the workload API comes through here. What the API says in words may repeat a secret, so words are redacted
// with the known values of environment variables. Log lines pass as they are: whoever shows them redacts them, in their order.

/** Of a list, so many without values are kept, the last ones: they take the place of others that have some. */
const MOST_WITHOUT = 4_000;

/** The API without secrets in what it says. Values of variables are remembered from calls and answers. */
export function guardedApi(api: Api, seen: EnvValues): Api {
  // Callers who share a read get the same answer, of the same account: a long list is gone through once.
  const guarded = new WeakMap<object, Promise<void>>();
  return {
    ...api,
    async engine() {
      const info = await api.engine();
      const plain = ({ problem, ...region }: EngineRegion): EngineRegion =>
        problem === undefined ? region : { ...region, problem: withoutSecrets(problem, []) };
      return info && { ...info, regions: info.regions.map(plain) };
    },
    as({ username, token }) {
      const inner = api.as({ username, token });
      return {
        async send(call, options = {}) {
          noteCall(call, username, seen);
          const about = workloadOf(call);
          const hide = (text: string): string =>
            withoutSecrets(text, about === undefined ? [] : seen.values(username, about));
          const { onWarnings } = options;
          try {
            const answer = await inner.send(call, {
              ...options,
              ...(onWarnings && { onWarnings: (warnings) => onWarnings(warnings.map(hide)) }),
            });
            const guarding = guarded.get(answer) ?? guardAnswer(call, answer, { username, seen });
            guarded.set(answer, guarding);
            await guarding;
            return answer;
          } catch (error) {
            throw error instanceof Problem ? error.inOtherWords(hide) : error;
          }
        },
      };
    },
  };
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  // What is made of values to look for them takes much more memory than they do: it is made for few sentences, and not kept.
  return redactLines([text], mayRepeat(text, secrets) ? [...secrets] : []).join("\n");
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

async function guardAnswer(
  { op, path: { region } }: Outline,
  answer: unknown,
  { username, seen }: Guarding,
): Promise<void> {
  const { services = [], jobs = [] } = workloadsIn(op, answer);
  let left = services.length + jobs.length;
  const guardOne = (
    workload: Named,
    { whole, containers }: { readonly whole: object; readonly containers: readonly Container[] | undefined },
  ): void => {
    left -= 1;
    // Lists may omit containers; that doesn't mean there are none.
    if (containers !== undefined) {
      const env = envOf(containers);
      if (env.length > 0 || left < MOST_WITHOUT) seen.note(username, workload, env);
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

/** Where a workload says something in words; a test compares them with the document of the API. */
const inWords: ReadonlySet<string> = new Set([
  "message",
  "reason",
  "last_reason",
  "events_not_read",
  "not_read",
  "object",
]);
/** What a person typed, or names: values of variables are shown by nobody, and a name isn't changed. */
const notInWords: ReadonlySet<string> = new Set(["containers", "spec", "metadata", "env"]);

/** Redacts the words in an object that was just read: nobody has seen it yet. */
function hideIn(value: object, secrets: () => readonly string[]): void {
  for (const [key, part] of Object.entries(value)) {
    if (typeof part === "string") {
      if (inWords.has(key)) (value as Record<string, unknown>)[key] = withoutSecrets(part, secrets()); // a text, as before
    } else if (typeof part === "object" && part !== null && !notInWords.has(key)) hideIn(part as object, secrets);
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
