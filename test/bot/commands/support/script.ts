import { stillClock } from "../../../support/test-clock.ts";
import type { LogLine } from "../../../../src/api/answers.ts";
import { type AccountApi, type Api, createApi, type GuardedAccountApi } from "../../../../src/api/client.ts";
import type { EngineInfo } from "../../../../src/api/engine-info.ts";
import type { Call, OperationId } from "../../../../src/api/operations.ts";
import { Problem } from "../../../../src/api/problem.ts";
import type { HistoryEvent } from "../../../../src/bot/changes/history-event.ts";
import type { StoredChange } from "../../../../src/bot/changes/stored-change.ts";
import type {
  About,
  ChannelBinding,
  Context,
  Permissions,
  Records,
  Undoable,
} from "../../../../src/bot/commands/command.ts";
import { type Proposal, proposeChange } from "../../../../src/bot/commands/lookup/authorize.ts";
import { createDirectory } from "../../../../src/bot/commands/lookup/directory.ts";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { readConfig } from "../../../../src/bot/compose/config.ts";
import { createEnvValues } from "../../../../src/bot/workflow/access/env-values.ts";
import { guardedApi } from "../../../../src/bot/workflow/access/guarded-api.ts";
import { type PlainJob, type PlainService } from "../../../support/as-read.ts";
import { excerptOf } from "../../../../src/bot/logs/excerpt.ts";
import type { Verdict } from "../../../../src/bot/policy/policy.ts";
import type { Mute, Watch } from "../../../../src/bot/watch/watch.ts";
import type { Message } from "../../../../src/bot/views/kit/post.ts";
import { sendTo } from "../../../../src/platform/http/send.ts";
import type { Fetch } from "../../../support/world-service.ts";

export const now = new Date("2026-11-21T12:00:00Z");
const clock = stillClock(now);

export const allow: Verdict = { kind: "allow", rule: "members do" };
export const refuse: Verdict = {
  kind: "refuse",
  rule: undefined,
  why: "No rule lets a guest do this.",
  next: "Ask a full member.",
};

/** An engine that can all that an extension of the workload API may. */
export const ableEngine: EngineInfo = {
  title: "Docker",
  regions: [],
  takesAnyMemory: true,
  keepsRevisions: true,
  pushesChanges: false,
};

export type Script = {
  readonly services?: readonly PlainService[];
  readonly jobs?: readonly PlainJob[];
  /** Stands for the workload API, in place of the workloads above. */
  readonly apiFetch?: Fetch;
  /** The lines of every log, oldest first. Default: one. Those of a service are of its instance 1, unless they say another. */
  readonly logLines?: readonly (string | LogLine)[];
  /** What the workload API says about its engine. */
  readonly engine?: EngineInfo;
  /** The service cannot be reached. */
  readonly isDown?: boolean;
  readonly permissions?: (about: About, breakGlass: boolean, isAtBest: boolean) => Verdict;
  readonly outlook?: (about: Pick<About, "op" | "risk">) => "allow" | "approve" | "refuse";
  readonly couldApprove?: readonly string[];
  readonly pending?: readonly StoredChange[];
  /** Changes of the asker that can be taken back, newest first. */
  readonly undoable?: readonly Undoable[];
  /** The ids of requests that the asker may approve. */
  readonly mayDecide?: readonly string[];
  readonly events?: readonly HistoryEvent[];
  readonly watches?: readonly Watch[];
  readonly mutes?: readonly Mute[];
  /** What the channel is bound to. */
  readonly binding?: ChannelBinding;
};

export type Scripted = {
  readonly context: Context;
  /** What was called of the service, and what policy was asked about. */
  readonly calls: OperationId[];
  readonly asked: About[];
  readonly queries: Parameters<Records["history"]>[0][];
};

/** A context in which everything is as the script has it. */
export function scripted(script: Script = {}): Scripted {
  const calls: OperationId[] = [];
  const asked: About[] = [];
  const queries: Scripted["queries"] = [];
  const events = script.events ?? [];
  const context: Context = {
    api: guarded(apiOf(script, calls)),
    engine: async () => script.engine,
    permissions: permissionsOf(script, asked),
    records: {
      pending: async () => script.pending ?? [],
      watches: async () => ({ watches: script.watches ?? [], mutes: script.mutes ?? [], lastPolls: [] }),
      mayDecide: async ({ id }) => script.mayDecide?.includes(id) ?? false,
      undoable: async (isMeant) => script.undoable?.find(({ change }) => isMeant(change)),
      async history(query) {
        queries.push(query);
        const account = query.workload?.account;
        const found = events.filter(
          (each) =>
            (query.before === undefined || each.seq < query.before) &&
            (account === undefined || each.account === account),
        );
        const shown = found.slice(0, query.limit);
        return { events: shown, older: found.length > query.limit ? shown.at(-1)?.seq : undefined };
      },
    },
    logs: { excerpt: async (request) => excerptOf(request), knowsEnv: () => true },
    account: {
      owner: { kind: "workspace" },
      username: "dana",
      isUsual: true,
      calls: async () => ({ count: 3, since: new Date("2026-11-21T00:00:00Z") }),
    },
    directory: createDirectory(clock),
    settings: readConfig({}).settings,
    defaultRegion: readConfig({}).settings.region,
    binding: script.binding,
    asker: { userId: "U0DANA", name: "Dana Reyes", standing: "member", teamId: "T0GANTRY", channelId: "C0OPS" },
    now,
    clock,
    signal: new AbortController().signal,
  };
  return { context, calls, asked, queries };
}

/** What a read answers to the words. */
export async function answerTo(text: string, script: Script | Scripted = {}): Promise<Message> {
  const { context } = "context" in script ? script : scripted(script);
  const { command, ask } = parseText(text);
  if (command.effect !== "read") throw new Error(`${text} is no read`);
  return command.answer(ask, context);
}

/** What a write would do, or why it is refused. */
export async function proposalTo(text: string, script: Script | Scripted = {}): Promise<Proposal> {
  const { context } = "context" in script ? script : scripted(script);
  const { command, ask } = parseText(text);
  if (command.effect !== "write") throw new Error(`${text} is no write`);
  return proposeChange(command, ask, context);
}

function permissionsOf({ permissions, outlook, couldApprove = [] }: Script, asked: About[]): Permissions {
  const order = ["refuse", "approve", "allow"] as const;
  return {
    async verdict(about, options) {
      asked.push(about);
      return permissions?.(about, options?.breakGlass === true, options?.isAtBest === true) ?? allow;
    },
    async outlook(actions) {
      const all = actions.map((deed) => outlook?.(deed) ?? "allow");
      return order.findLast((each) => all.includes(each)) ?? "refuse";
    },
    approvers: async () => ({ names: couldApprove.slice(0, 3), count: couldApprove.length }),
  };
}

/** As the bot reads it. */
function guarded(api: AccountApi): GuardedAccountApi {
  const none: Pick<Api, "callsToday" | "changes" | "engine"> = createApi({ baseUrl: "http://service.invalid" });
  return guardedApi({ ...none, as: () => api }, createEnvValues(clock)).as({ username: "gantry", token: "" });
}

function apiOf(script: Script, calls: OperationId[]): AccountApi {
  const { services = [], jobs = [], logLines = ["hello"], isDown, apiFetch } = script;
  if (apiFetch !== undefined) return countedApi(apiFetch, calls);
  const send = async (call: Call): Promise<unknown> => {
    calls.push(call.op);
    if (isDown === true) throw problem(call.op, 503);
    switch (call.op) {
      case "getService":
        return (
          services.find(({ name }) => name === call.path.service_name) ?? noneNamed(call.path.service_name, call.op)
        );
      case "getJob":
        return (
          jobs.find(({ metadata }) => metadata.name === call.path.job_name) ?? noneNamed(call.path.job_name, call.op)
        );
      case "listServices":
        return { services, skipped: 0 };
      case "listJobs":
        return { jobs, skipped: 0 };
      case "getServiceLogs":
        return services.some(({ name }) => name === call.path.service_name)
          ? logLines
              .slice(-(call.query.size ?? 100))
              .map((line) =>
                typeof line === "string" ? { instance_name: `${call.path.service_name}-1`, log: line } : line,
              )
          : missing(call.op);
      case "getJobInstanceLogs":
        return logLines.slice(-(call.query.size ?? 100)).map((line) => (typeof line === "string" ? line : line.log));
      default:
        throw new Error(`${call.op} was sent, and nothing may be written here`);
    }
  };
  return { send: send as unknown as AccountApi["send"] }; // what it answers follows from the call's op
}

function countedApi(apiFetch: Fetch, calls: OperationId[]): AccountApi {
  const api = createApi({
    baseUrl: "http://service.invalid",
    send: sendTo(apiFetch),
    clock: { ...clock, sleep: () => Promise.resolve() },
  });
  const account = api.as({ username: "gantry", token: "t".repeat(40) });
  return {
    send(call, options) {
      calls.push(call.op);
      return account.send(call, options);
    },
  };
}

function missing(op: OperationId): never {
  throw problem(op, 404);
}

/** As our own service answers: a name that no workload can have is refused in words of the API. */
function noneNamed(name: string, op: OperationId): never {
  throw problem(op, /^[a-z][a-z0-9-]*$/u.test(name) ? 404 : 400);
}

function problem(op: OperationId, status: number): Problem {
  const sentence =
    { 400: "The name is not of the documented form.", 404: "There is no such thing." }[status] ??
    "The service is not available.";
  return new Problem({ kind: "refused", op, status, maybeSent: false, sentence, next: "Try again later." });
}
