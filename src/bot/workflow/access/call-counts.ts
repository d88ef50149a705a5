import type { Api } from "../../../api/client.ts";
import type { Clock } from "../../../platform/clock.ts";

export type CallCounts = {
  /** Notes that this account is in use, so its calls are written down. */
  readonly uses: (username: string) => void;
  /** Of all replicas in this UTC day; of this process alone while the database is away. */
  readonly today: (username: string) => Promise<{ readonly count: number; readonly since: Date }>;
  /** Writes down the calls counted since the last flush. */
  readonly flush: () => Promise<void>;
};

type CallsOf = { readonly teamId: string; readonly username: string; readonly day: string };

type Parts = {
  /** The workspace; undefined until Slack has said. */
  readonly teamId: () => string | undefined;
  readonly api: Api;
  readonly store: {
    /** Adds calls that this replica made, by user name; `day` is a UTC date, 2026-11-21. */
    readonly countCalls: (of: Omit<CallsOf, "username">, counts: ReadonlyMap<string, number>) => Promise<void>;
    readonly callsOn: (of: CallsOf) => Promise<number>;
  };
  readonly clock: Pick<Clock, "now">;
};

/** Calls per account and day, over replicas and restarts: some services allow a number of them. */
export function createCallCounts({ teamId: team, api, store, clock }: Parts): CallCounts {
  const written = new Map<string, number>();
  const seen = new Set<string>();
  const dayOf = (): string => clock.now().toISOString().slice(0, 10);
  const teamId = (): string => team() ?? "";
  const unwritten = (username: string, day: string): number =>
    api.callsToday(username).count - (written.get(`${day} ${username}`) ?? 0);
  return {
    uses: (username) => void seen.add(username),
    async today(username) {
      const day = dayOf();
      const own = api.callsToday(username);
      try {
        const since = new Date(`${day}T00:00:00.000Z`);
        return { count: (await store.callsOn({ teamId: teamId(), username, day })) + unwritten(username, day), since };
      } catch {
        return own;
      }
    },
    async flush() {
      const day = dayOf();
      for (const key of written.keys()) if (!key.startsWith(day)) written.delete(key);
      const counts = new Map([...seen].map((username) => [username, unwritten(username, day)] as const)); // pairs
      for (const [username, calls] of counts) if (calls <= 0) counts.delete(username);
      if (counts.size === 0) return;
      await store.countCalls({ teamId: teamId(), day }, counts);
      for (const [username, calls] of counts) {
        written.set(`${day} ${username}`, (written.get(`${day} ${username}`) ?? 0) + calls);
      }
    },
  };
}
