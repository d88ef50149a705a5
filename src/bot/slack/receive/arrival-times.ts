import type { Clock } from "../../../platform/clock.ts";

export type ArrivalTimes = {
  /** Remembers that Slack delivered something. */
  readonly remember: (body: unknown) => void;
  /** Remembers a request whose signature is wrong. */
  readonly rememberUnsigned: () => void;
  /** ISO 8601 times of the last ones by kind, since the start. */
  readonly last: () => Readonly<Partial<Record<Kind, string>>>;
  readonly unsigned: () => { readonly count: number; readonly last?: string };
};

type Kind = "command" | "click" | "event";

/** When something last arrived from Slack: of what stops arriving, people only notice silence. */
export function createArrivalTimes(clock: Pick<Clock, "now">): ArrivalTimes {
  const last: Partial<Record<Kind, string>> = {};
  let count = 0;
  let unsignedAt: string | undefined;
  return {
    remember: (body) => void (last[kindOf(body)] = clock.now().toISOString()),
    rememberUnsigned() {
      count += 1;
      unsignedAt = clock.now().toISOString();
    },
    last: () => ({ ...last }),
    unsigned: () => ({ count, ...(unsignedAt !== undefined && { last: unsignedAt }) }),
  };
}

/** A click stands for everything that people do with blocks and forms. */
function kindOf(body: unknown): Kind {
  if (typeof body !== "object" || body === null) return "click";
  if ("command" in body) return "command";
  return "event" in body ? "event" : "click";
}
