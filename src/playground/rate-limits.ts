import { delivery, pace } from "./rules/limits.ts";

// https://docs.slack.dev/apis/web-api/rate-limits. Tier 5 has no fixed number and is left out.

const windowMs = 60_000;

/** Calls per minute. */
const tiers = { 2: 20, 3: 50, 4: 100 } as const;

/** The tier of each method, from its page. */
const tierOf: Readonly<Record<string, keyof typeof tiers>> = {
  "usergroups.list": 2,
  "usergroups.users.list": 2,
  "users.list": 2,
  "apps.connections.open": 3,
  "chat.delete": 3,
  "chat.update": 3,
  "users.conversations": 3,
  "chat.postEphemeral": 4,
  "conversations.members": 4,
  "files.completeUploadExternal": 4,
  "files.getUploadURLExternal": 4,
  "users.info": 4,
  "views.open": 4,
  "views.publish": 4,
  "views.update": 4,
};

/** Each method's calls of the last minute. A refused call does not count. */
export function createRateTiers() {
  const calls = new Map<string, readonly number[]>();
  return {
    /** Counts a call; the seconds of Retry-After when the method has had its calls of the last minute. */
    take(method: string, nowMs: number): number | undefined {
      const tier = Object.hasOwn(tierOf, method) ? tierOf[method] : undefined;
      if (tier === undefined) return undefined;
      const recent = (calls.get(method) ?? []).filter((atMs) => nowMs - atMs < windowMs);
      const [oldest = nowMs] = recent;
      if (recent.length >= tiers[tier]) return Math.ceil((oldest + windowMs - nowMs) / 1000);
      calls.set(method, [...recent, nowMs]);
      return undefined;
    },
    reset: () => calls.clear(),
  };
}

/** Each channel may have a burst, and from then on one message a second. A refused one does not count. */
export function createPostPace() {
  /** When the burst of a channel would be whole again. */
  const fullAtMs = new Map<string, number>();
  return {
    /** Counts a message to a channel; the seconds of Retry-After when it had too many. */
    take: (channel: string, nowMs: number): number | undefined => {
      const fullAt = Math.max(nowMs, fullAtMs.get(channel) ?? nowMs);
      const waitMs = fullAt + pace.everyMs - nowMs - pace.burst * pace.everyMs;
      if (waitMs > 0) return Math.ceil(waitMs / 1000);
      fullAtMs.set(channel, fullAt + pace.everyMs);
      return undefined;
    },
  };
}

type Entry = { readonly atMs: number; readonly isOk: boolean; readonly times: number };

export type EventLedger = ReturnType<typeof createEventLedger>;

function sum(entries: readonly Entry[]): number {
  return entries.reduce((total, entry) => total + entry.times, 0);
}

/** Counts event deliveries, including retries, against Slack's limits. */
export function createEventLedger() {
  const { failures, rate } = delivery;
  let entries: Entry[] = [];
  let isDisabled = false;
  return {
    /** Records one delivery, or `times` deliveries. */
    note: (atMs: number, isOk: boolean, times = 1) => void entries.push({ atMs, isOk, times }),
    /** Whether another delivery is allowed now. "failing" lasts until `enable`. */
    verdict(nowMs: number): "deliver" | "failing" | "too many" {
      // Both windows are one hour, so older entries count for neither.
      entries = entries.filter((entry) => nowMs - entry.atMs < failures.windowMs);
      const all = sum(entries);
      const failed = sum(entries.filter((entry) => !entry.isOk));
      if (all >= failures.fewest && failed / all > failures.share) isDisabled = true;
      if (isDisabled) return "failing";
      return all >= rate.max ? "too many" : "deliver";
    },
    /** The owner re-enables the subscription on the app's settings page. */
    enable() {
      isDisabled = false;
      entries = [];
    },
  };
}
