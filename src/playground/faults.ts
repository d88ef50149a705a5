import type { Clock } from "../platform/clock.ts";
import { orAborted } from "../platform/waiting.ts";
import type { Failure, FaultSettings } from "./wire.ts";
import { createPostPace, createRateTiers } from "./rate-limits.ts";

/** `{ok: false}` with any code of Slack's: is_archived, not_in_channel, missing_scope. `needed` belongs to missing_scope. */
export type SlackError = { readonly error: string; readonly needed?: string; readonly provided?: string };

type FaultScope = {
  /** So many requests fail; without it all do, until `clear` or `answerNormally`. */
  readonly times?: number;
  /** Only requests for this channel, by name or id, or for the direct conversation with this user id. */
  readonly channel?: string;
  /** Retry-After of this 429, instead of the setting for all. */
  readonly retryAfterSeconds?: number;
};

export type PlannedFault = {
  readonly kind: string;
  readonly fault: Failure | SlackError;
  readonly channel: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  left: number;
};

/** A request as faults see it. `channels` are all names and ids of its channel; [] when it names none. */
type RequestFacts = { readonly hasBlocks: boolean; readonly hasPlan: boolean; readonly channels: readonly string[] };

/** Faults on Slack's side. Set one at any time; it holds from the next request on. */
export type Faults = FaultSettings & {
  /** How late an answer is that comes "late". */
  lateMs: number;
  /** apps.connections.open answers this instead of an address: "token_revoked", "invalid_auth", "internal_error". */
  appTokenError: string;
  readonly network: Network;
  /** Methods answer 429 beyond the calls per minute of their rate tier, by the playground's clock. */
  enforcesRateTiers: boolean;
  /** Plans a fault for a method's name, "response_url", "upload", or "all". A number is the scope's `times`. */
  readonly answer: (kind: string, fault: Failure | SlackError, scope?: number | FaultScope) => void;
  /** Takes back what `answer` planned for exactly this kind. */
  readonly answerNormally: (kind: string) => void;
  /** Planned faults that are not used up. */
  readonly planned: () => readonly PlannedFault[];
  readonly clear: () => void;
  /** Called by `clear`, to end faults that are kept elsewhere. */
  readonly whenCleared: Set<() => void>;
  /** Ends answers that hang. */
  readonly release: () => void;
  /** The fault planned for this request, counted down. */
  readonly next: (kind: string, asked: RequestFacts) => PlannedFault | undefined;
  /** The Retry-After of a call beyond its method's rate tier; undefined when it may pass. */
  readonly overRate: (method: string, nowMs: number) => number | undefined;
  /** The same for a message to a channel, whether or not a test asks for it. */
  readonly overPace: ReturnType<typeof createPostPace>["take"];
  /** Never answers until the asker hangs up or `release`. */
  readonly hang: (signal: AbortSignal) => Promise<void>;
  readonly delay: (isLate: boolean) => Promise<void>;
};

const none = {
  slowMs: 0,
  lateMs: 10_000,
  retryAfterSeconds: 1,
  deliverTwice: false,
  signsWrongly: false,
  signatureAgeSeconds: 0,
  tokenError: "",
  missingScopes: [],
  refusesUploads: false,
  appTokenError: "",
  enforcesRateTiers: false,
};

function isFor(plan: PlannedFault, kind: string, { hasBlocks, hasPlan, channels }: RequestFacts): boolean {
  if (plan.left <= 0 || (plan.kind !== kind && plan.kind !== "all")) return false;
  if (plan.fault === "blocks" && !hasBlocks) return false;
  if (plan.fault === "plans" && !hasPlan) return false;
  return plan.channel === undefined || channels.includes(plan.channel.replace(/^#/, ""));
}

function planOf(kind: string, fault: Failure | SlackError, scope: number | FaultScope): PlannedFault {
  const {
    times = Number.POSITIVE_INFINITY,
    channel,
    retryAfterSeconds,
  } = typeof scope === "number" ? { times: scope } : scope;
  return { kind, fault, channel, retryAfterSeconds, left: times };
}

function hangingAnswers(): Pick<Faults, "hang" | "release"> {
  const waiting = new Set<() => void>();
  return {
    release() {
      for (const end of waiting) end();
      waiting.clear();
    },
    async hang(signal) {
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    },
  };
}

/** `network` is that of all workspaces that the app is in. */
export function createFaults(clock: Pick<Clock, "sleep">, network: Network): Faults {
  let planned: PlannedFault[] = [];
  const rateTiers = createRateTiers();
  const postPace = createPostPace();
  return {
    ...none,
    ...hangingAnswers(),
    network,
    whenCleared: new Set(),
    answer: (kind, fault, scope = {}) => void planned.push(planOf(kind, fault, scope)),
    answerNormally(kind) {
      planned = planned.filter((plan) => plan.kind !== kind);
      this.release();
    },
    planned: () => planned.filter((plan) => plan.left > 0),
    clear() {
      planned = [];
      rateTiers.reset();
      Object.assign(this, none);
      this.release();
      this.network.restore();
      for (const end of this.whenCleared) end();
    },
    next(kind, asked) {
      const plan = planned.find((each) => isFor(each, kind, asked));
      if (plan !== undefined) plan.left -= 1;
      return plan;
    },
    overPace: postPace.take,
    overRate(method, nowMs) {
      return this.enforcesRateTiers ? rateTiers.take(method, nowMs) : undefined;
    },
    async delay(isLate) {
      const ms = this.slowMs + (isLate ? this.lateMs : 0);
      if (ms > 0) await clock.sleep(ms);
    },
  };
}

export type Network = ReturnType<typeof createNetwork>;

/** The network between Slack and the bot. While it is cut, nothing arrives on either side, and no connection is closed. */
export function createNetwork() {
  /** Called at each cut and each restoration. */
  const watchers = new Set<() => void>();
  let whole: PromiseWithResolvers<void> | undefined;
  const notify = (): void => {
    for (const watcher of watchers) watcher();
  };
  return {
    isCut: () => whole !== undefined,
    cut() {
      if (whole !== undefined) return;
      whole = Promise.withResolvers();
      notify();
    },
    /** What was under way arrives now. */
    restore() {
      if (whole === undefined) return;
      whole.resolve();
      whole = undefined;
      notify();
    },
    /** Resolves when a message gets through; rejects with the signal's reason. */
    async passes(signal: AbortSignal) {
      if (whole === undefined) return;
      await orAborted(whole.promise, signal);
    },
    watchers,
  };
}
