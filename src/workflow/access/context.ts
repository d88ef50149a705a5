import type { OpenAccount } from "../../accounts/account.ts";
import type { BoundTo, Context, Judge, Logs } from "../../commands/command.ts";
import { type Binding, coversName } from "../../policy/binding.ts";
import { apiWithin } from "./locked-api.ts";
import { checkChosen } from "./chosen-channel.ts";
import { createJudge } from "./judge.ts";
import { freshness, type Profile } from "../../slack/directory/people.ts";
import { recordsFor } from "./records.ts";
import type { Asked, Shell } from "../shell.ts";

/** What a verb is given; made anew for each Ask, since rights, the clock and the count move on. Throws `UserError`. */
export async function contextFor(
  shell: Shell,
  { place, effect }: Pick<Asked, "place"> & { readonly effect: "read" | "write" },
  signal: AbortSignal,
): Promise<Context> {
  const { settings, directory, api, calls } = shell;
  await checkChosen(shell, place);
  const maxAgeMs = effect === "read" ? freshness.reading : freshness.deciding;
  const [profile, { account, binding, region: own }] = await Promise.all([
    shell.people.profile(place.userId, maxAgeMs),
    shell.accounts.here(place, effect),
  ]);
  calls.uses(account.username);
  const judge = judgeFor(shell, { profile, channelId: place.channelId, account, binding });
  return {
    api: apiWithin(api.as(account), binding),
    account: {
      owner: account.owner,
      username: account.username,
      calls: () => calls.today(account.username),
    },
    judge,
    records: recordsFor(shell, { profile, judge, teamId: place.teamId }),
    logs: logsOf(shell, account.username, { who: place.userId, signal }),
    directory,
    settings: { ...settings, region: binding?.region ?? own ?? settings.region },
    defaultRegion: settings.region,
    binding: binding && boundTo(binding),
    asker: { ...profile, teamId: place.teamId, channelId: place.channelId },
    now: shell.now(),
    signal,
  };
}

function boundTo(binding: Binding): BoundTo {
  return { ...binding, covers: (name) => coversName(binding, name) };
}

type For = {
  readonly profile: Profile;
  readonly channelId: string;
  readonly account: Pick<OpenAccount, "username"> | undefined;
  /** What is outside of a locked one is refused; without it the policy alone judges. */
  readonly binding?: Binding | undefined;
};

export function judgeFor(shell: Shell, { profile, channelId, account, binding }: For): Judge {
  const { people, identity } = shell;
  const { botUserId } = identity;
  const policy = shell.policy();
  return createJudge({ people, policy, profile, channelId, account: account?.username, binding, botUserId });
}

type Asking = { readonly who: string; readonly signal: AbortSignal };

function logsOf({ logs, envSeen }: Shell, account: string, asking: Asking): Logs {
  return {
    excerpt: (request, workload) => logs.excerpt({ ...request, secrets: envSeen.values(account, workload) }, asking),
    knowsEnv: (workload) => envSeen.isFresh(account, workload),
  };
}
