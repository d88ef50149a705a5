import { type Measure, unmeasured } from "../platform/trail.ts";
import { type Clock, machineClock } from "../platform/clock.ts";
import { hash } from "node:crypto";
import type { Answer, ParsedAnswer } from "./answers.ts";
import {
  type Changes,
  type ChangesRequest,
  readChanges,
  createEngineInfo,
  type EngineInfo,
  type RawEngineInfo,
} from "./engine-info.ts";
import { type AskedBy, warningsIn } from "./extension-headers.ts";
import { decode } from "./decode.ts";
import { directNetwork } from "../platform/http/network.ts";
import type { Send } from "../platform/http/send.ts";
import { exchange, type Exchange, withRetries, requestFor, unsendable, type ApiAccount } from "./exchange.ts";
import { aborted, heldBack, Problem } from "./problem.ts";
import { createSingleFlight, type Flight, type SingleFlight } from "./single-flight.ts";
import { operationTable, type Call, type OperationId } from "./operations.ts";
import type { Redacted } from "./redacted.ts";
import { displayable, secretValues } from "./service-message.ts";

export type { ApiAccount } from "./exchange.ts";

export type ApiSettings = {
  /** May have a path prefix and a trailing slash. */
  readonly baseUrl: string;
  /** How requests leave. Default: without a proxy. */
  readonly send?: Send;
  /** Default: this machine's. */
  readonly clock?: Clock;
  readonly random?: () => number;
  /** The longest answer read, in bytes after decompression. Default: 64 MB for a list, which is parsed in slices, else 16 MB. */
  readonly bodyLimitBytes?: number;
  /** Time limits of single attempts, in milliseconds. Default: the operation table. */
  readonly timeouts?: Partial<Record<OperationId, number>>;
  /** Measures each attempt; its status is that of the answer, or the kind of the Problem. */
  readonly measure?: Measure;
};

export type SendOptions<Text = string> = {
  readonly signal?: AbortSignal;
  /** In milliseconds, for the answer with all retries. Default: 8 s for a read, the time limit for a write. */
  readonly budgetMs?: number;
  /** Of a list of thousands, the containers are dropped except for their environment. */
  readonly isBrief?: boolean;
  /**
   * Called once, right before a write leaves, with nothing awaited in between. False: nothing is sent or counted, and
   * `send` throws a Problem of kind `aborted` with `maybeSent` false. Not called for a read. Must not throw.
   */
  readonly mayLeave?: () => boolean;
  /** Sent along with a write. */
  readonly asked?: AskedBy;
  /** Called with what the cluster warned of when a write was accepted, if it did. */
  readonly onWarnings?: (warnings: readonly Text[]) => void;
};

export type AccountApi = {
  /**
   * Sends a call and reads its answer. Throws only Problems. A read is tried up to three times and shared with equal
   * reads in flight; a write is sent at most once.
   */
  send<Op extends OperationId>(call: Call<Op>, options?: SendOptions): Promise<ParsedAnswer<Op>>;
};

export type Api = {
  /** Cheap: call it per request. */
  as(account: ApiAccount): AccountApi;
  /** HTTP calls sent for a user. Retries count; a shared read counts once. */
  callsToday(username: string): CallsToday;
  /** The engine behind the workload API, if it says; at most a minute old. Never rejects. */
  engine(): Promise<RawEngineInfo | undefined>;
  /** Waits until a list of the account changes; undefined when the API doesn't say. Never rejects. */
  changes(account: ApiAccount, request: ChangesRequest): Promise<Changes | undefined>;
  /** The same API, with calls and reads in flight of its own: each workspace has one. */
  isolated(): Api;
};

/** The API as the bot reads it: `guardedApi` makes it, and what only an `Api` answered fits nowhere. Log lines are as they were written. */
export type GuardedApi = Omit<Api, "as" | "engine" | "isolated"> & {
  as(account: ApiAccount): GuardedAccountApi;
  engine(): Promise<EngineInfo | undefined>;
};
export type GuardedAccountApi = {
  send<Op extends OperationId>(call: Call<Op>, options?: SendOptions<Redacted>): Promise<Answer<Op>>;
};

const READ_BUDGET_MS = 8_000;
/**
 * A crowd that asks for a list shares it also when the API is fast: the list is no older than what a slower API would have
 * told them.
 */
const LIST_SHARED_FOR_MS = 25;
const lists: ReadonlySet<OperationId> = new Set<OperationId>(["listJobs", "listServices"]);
const RETRIES = 2;
/** A warning of a cluster names each field that it is about. */
const WARNING = 300;
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;
const LIST_LIMIT_BYTES = 64 * 1024 * 1024;

type Client = Required<Omit<ApiSettings, "bodyLimitBytes">> &
  Pick<ApiSettings, "bodyLimitBytes"> & { readonly counted: CallCount; readonly singleFlight: SingleFlight<unknown> };
type Sending = { readonly call: Call; readonly account: ApiAccount; readonly options: SendOptions };

/** Throws an Error with a sentence when `baseUrl` can't be called. */
export function createApi(settings: ApiSettings): Api {
  const { clock = machineClock } = settings;
  const client: Client = {
    send: directNetwork.send,
    random: Math.random,
    timeouts: {},
    measure: unmeasured,
    ...settings,
    baseUrl: baseOf(settings.baseUrl),
    clock,
    counted: createCallCount(clock),
    singleFlight: createSingleFlight(clock),
  };
  return {
    callsToday: (username) => client.counted.today(username),
    engine: createEngineInfo(client),
    changes: (account, request) => readChanges(client, account, request),
    isolated: () => createApi(settings),
    as: (account) => ({
      async send<Op extends OperationId>(asked: Call<Op>, options: SendOptions = {}) {
        const call = asked as Call; // a call of one operation is a call
        const op = call.op as Op; // and its operation is that one
        const problem = unsendable(call, account);
        if (problem !== undefined) throw problem;
        if (options.signal?.aborted === true) throw aborted(op, false);
        return (await answerTo(client, { call, account, options })) as ParsedAnswer<Op>; // the call's operation is `Op`
      },
    }),
  };
}

/** Callers who share a read share its decoded answer too, so nobody may change it. */
function answerTo(client: Client, sending: Sending): Promise<unknown> {
  const { call, account, options } = sending;
  const isRead = operationTable[call.op].effect === "read";
  const { signal, isBrief = false, budgetMs = isRead ? READ_BUDGET_MS : Number.POSITIVE_INFINITY } = options;
  return client.singleFlight.join({
    op: call.op,
    ...(isRead && { key: `${isBrief ? "brief " : ""}${keyOf(call, account)}` }),
    ...(lists.has(call.op) && { sharedForMs: LIST_SHARED_FOR_MS }),
    budgetMs,
    signal,
    start: async (flight) => {
      const answer = await withRetries(() => attempt(client, sending, flight), {
        retries: isRead ? RETRIES : 0,
        flight,
        clock: client.clock,
        random: client.random,
      });
      const secrets = secretValues(call, account);
      const decoded = await decode(answer, { op: call.op, secrets, clock: client.clock, isBrief });
      const warnings = isRead
        ? []
        : warningsIn(answer.headers).flatMap((text) => displayable(text, secrets, WARNING) ?? []);
      if (warnings.length > 0) options.onWarnings?.(warnings);
      return decoded;
    },
  });
}

function attempt(client: Client, { call, account, options }: Sending, flight: Flight): Promise<Exchange> {
  const { op } = call;
  const { effect, timeoutMs } = operationTable[op];
  let takeBack = (): void => undefined;
  const exchanged = (): Promise<Exchange> =>
    exchange({
      op,
      request: (signal) =>
        requestFor(call, {
          baseUrl: client.baseUrl,
          account,
          signal,
          asked: effect === "write" ? options.asked : undefined,
        }),
      leaving: () => {
        if (effect === "write" && options.mayLeave?.() === false) throw heldBack(op);
        flight.leaving();
        takeBack = client.counted.add(account.username);
      },
      send: client.send,
      clock: client.clock,
      timeoutMs: client.timeouts[op] ?? timeoutMs,
      limitBytes: client.bodyLimitBytes ?? (lists.has(op) ? LIST_LIMIT_BYTES : BODY_LIMIT_BYTES),
      signal: flight.signal,
    });
  return client.measure({ to: "api", name: op }, exchanged, statusOf).catch((error: unknown) => {
    if (error instanceof Problem && !error.maybeSent) takeBack();
    throw error;
  });
}

function statusOf(ended: { readonly value: Exchange } | { readonly error: unknown }): string {
  if ("value" in ended) return String(ended.value.status);
  return ended.error instanceof Problem ? ended.error.kind : "unexpected";
}

/** Reads are equal per account. The token is hashed: keys could end up in a heap dump. */
function keyOf({ op, path, query }: Call, { username, token }: ApiAccount): string {
  const secret = hash("sha256", token, "base64url");
  return JSON.stringify([username, secret, op, sorted(path), sorted(query ?? {})]);
}

function sorted(parameters: object): [string, unknown][] {
  return Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new Error("WORKLOAD_API_URL must start with http:// or https://");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Error("WORKLOAD_API_URL must have no user, query or fragment");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/u, "");
}

export type CallsToday = {
  /** HTTP calls that were sent, retries included. */
  readonly count: number;
  /** The start of the UTC day, or of this process if that was later. */
  readonly since: Date;
};

type CallCount = ReturnType<typeof createCallCount>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Counts calls per user and UTC day, in memory: some services limit calls per day. */
export function createCallCount(clock: Pick<Clock, "now">) {
  const startedAt = clock.now().getTime();
  let day = Math.floor(startedAt / DAY_MS);
  let counts = new Map<string, number>();
  const current = (): Map<string, number> => {
    const today = Math.floor(clock.now().getTime() / DAY_MS);
    if (today !== day) {
      day = today;
      counts = new Map();
    }
    return counts;
  };
  return {
    /** Counts one call. The returned function takes it back, for a call that was never sent. */
    add(username: string): () => void {
      const day = current();
      day.set(username, (day.get(username) ?? 0) + 1);
      return () => void day.set(username, (day.get(username) ?? 1) - 1);
    },
    today: (username: string): CallsToday => ({
      count: current().get(username) ?? 0,
      since: new Date(Math.max(startedAt, day * DAY_MS)),
    }),
  };
}
