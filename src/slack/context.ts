import { masked } from "../accounts/masked.ts";
import type { OpenAccount } from "../accounts/account.ts";
import type { Context, Judge, Records } from "../commands/command.ts";
import { StoreError, UserError } from "../errors.ts";
import { createJudge } from "./judge.ts";
import { freshness, type Profile } from "./people.ts";
import type { Asked, Shell } from "./shell.ts";

/** What a verb is given; made anew for each Ask, since rights, the clock and the count move on. Throws `UserError`. */
export async function contextFor(
  shell: Shell,
  { place, effect }: Pick<Asked, "place"> & { readonly effect: "read" | "write" },
  signal: AbortSignal,
): Promise<Context> {
  const { settings, directory, api, calls } = shell;
  const maxAgeMs = effect === "read" ? freshness.reading : freshness.deciding;
  const [profile, account] = await Promise.all([
    shell.people.profile(place.userId, maxAgeMs),
    shell.accounts.of(place, effect),
  ]);
  calls.uses(account.username);
  return {
    api: api.as(account),
    account: {
      owner: account.owner,
      username: account.username,
      maskedToken: masked(account.token),
      calls: () => calls.today(account.username),
    },
    judge: judgeFor(shell, { profile, channelId: place.channelId, account }),
    records: recordsOf(shell, place.teamId),
    directory,
    settings,
    asker: { userId: place.userId, name: profile.name, teamId: place.teamId, channelId: place.channelId },
    now: shell.now(),
    signal,
  };
}

type For = { readonly profile: Profile; readonly channelId: string; readonly account: OpenAccount };

export function judgeFor(shell: Shell, { profile, channelId, account }: For): Judge {
  const { people, identity } = shell;
  const { botUserId } = identity;
  return createJudge({ people, policy: shell.policy(), profile, channelId, account: account.username, botUserId });
}

function recordsOf({ store }: Shell, teamId: string): Records {
  return {
    pending: () => readable(store.pendingChanges(teamId)),
    history: (query) => readable(store.history({ ...query, teamId })),
  };
}

async function readable<Value>(reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new UserError("Gantry cannot reach its database, where this is written down.", {
      next: "Try again in a minute; if it stays so, tell those who run Gantry here.",
    });
  }
}
