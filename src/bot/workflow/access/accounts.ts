import type { GuardedApi } from "../../../api/client.ts";
import { boundedMap } from "../../../platform/bounded-map.ts";
import type { Clock } from "../../../platform/clock.ts";
import {
  type AccountMode,
  type AccountSeeker,
  type OpenAccount,
  boundTo,
  type FoundAccounts,
  openStoredAccount,
  resolveAccount,
  usualUsername,
} from "../../accounts/resolve.ts";
import type { Sealer } from "../../accounts/seal.ts";
import { StoreError, UserError } from "../../errors.ts";
import type { WorkspaceStore } from "../../store/store.ts";
import type { Accounts, CallCounts, ResolvedAccount } from "../ports.ts";

type Found = FoundAccounts & Omit<ResolvedAccount, "account" | "isUsual">;

type Parts = {
  readonly store: Pick<WorkspaceStore, "impliedFor" | "resealAccount">;
  readonly sealer: Sealer;
  readonly mode: AccountMode;
  /** The workspace's account from the environment. */
  readonly configured: OpenAccount | undefined;
  readonly clock: Pick<Clock, "now">;
  /** Calls of this account are written down from now on. */
  readonly inUse: (username: string) => void;
};

/** While the database is away, cached answers count this long, and only for reads. */
const BELIEVE_MS = 15 * 60_000;
const MOST = 5_000;

/** Looks accounts up in the store; when that is away, never takes another account instead of one it cannot see. */
export function createAccounts({ store, sealer, mode, configured, clock, inUse }: Parts): Accounts {
  const last = boundedMap<string, { readonly found: Found; readonly at: number }>(MOST);
  const find = async (seeker: AccountSeeker, effect: "read" | "write"): Promise<Found> => {
    // A conversation with the bot has no account of its own, but one is never linked there either.
    const key = JSON.stringify([seeker.teamId, seeker.userId, seeker.channelId]);
    try {
      const found = await store.impliedFor(seeker);
      last.set(key, { found, at: clock.now().getTime() });
      return found;
    } catch (error) {
      const known = last.get(key);
      if (!(error instanceof StoreError)) throw error;
      if (effect === "read" && known !== undefined && clock.now().getTime() - known.at < BELIEVE_MS) return known.found;
      throw new UserError("I can't reach my database, so I can't look up your account.", {
        cause: error,
        next: "Nothing was changed. Try again in a minute. If this keeps happening, contact your Gantry admin.",
      });
    }
  };
  return {
    async resolve(seeker, effect) {
      const found = await find(seeker, effect);
      const { binding, region } = found;
      const rules = { mode, configured, sealer, seeker, wanted: binding?.account };
      const account = resolveAccount(found, rules);
      if (effect === "write") await reseal({ store, sealer }, found, account);
      inUse(account.username);
      return { account, isUsual: usualUsername(found, rules) === account.username, binding, region };
    },
    async reopen(ref, seeker) {
      const account = openStoredAccount(ref, await store.impliedFor(seeker), { mode, configured, sealer, seeker });
      inUse(account.username);
      return account;
    },
    forget: () => last.clear(),
    isConfigured: configured !== undefined,
  };
}

/** Seals the token with the newest key, so that old keys can be removed. */
async function reseal(
  { store, sealer }: Pick<Parts, "store" | "sealer">,
  { own, channel, workspace }: FoundAccounts,
  { owner, username, token }: OpenAccount,
): Promise<void> {
  const row = { user: own, channel, workspace }[owner.kind];
  // A configured account has no row.
  if (row?.username !== username || sealer.isCurrent(row.sealedToken)) return;
  await store.resealAccount(row, sealer.seal(token, boundTo(row)));
}

type CallsOf = { readonly teamId: string; readonly username: string; readonly day: string };

type CountParts = {
  /** The workspace; undefined until Slack has said. */
  readonly teamId: () => string | undefined;
  readonly api: Pick<GuardedApi, "callsToday">;
  readonly store: {
    /** Adds calls that this replica made, by user name; `day` is a UTC date, 2026-11-21. */
    readonly countCalls: (of: Omit<CallsOf, "username">, counts: ReadonlyMap<string, number>) => Promise<void>;
    readonly callsOn: (of: CallsOf) => Promise<number>;
  };
  readonly clock: Pick<Clock, "now">;
};

/** Counts calls per account and day, across replicas and restarts: some workload APIs limit them. */
export function createCallCounts({ teamId: team, api, store, clock }: CountParts): CallCounts & Pick<Parts, "inUse"> {
  const written = new Map<string, number>();
  const seen = new Set<string>();
  const dayOf = (): string => clock.now().toISOString().slice(0, 10);
  const teamId = (): string => team() ?? "";
  const unwritten = (username: string, day: string): number =>
    api.callsToday(username).count - (written.get(`${day} ${username}`) ?? 0);
  return {
    inUse: (username) => void seen.add(username),
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
