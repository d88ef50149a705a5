import type { OpenAccount } from "../../accounts/account.ts";
import type { ChannelBinding, Context, Permissions, Logs } from "../../commands/command.ts";
import { type Binding, coversName } from "../../policy/binding.ts";
import { apiWithin } from "./locked-api.ts";
import { checkChosen } from "./chosen-channel.ts";
import { createPermissions } from "./permissions.ts";
import { freshness, type Profile } from "../../slack/directory/people.ts";
import { recordsFor } from "./records.ts";
import type { Asked, Shell } from "../shell.ts";

/** What a verb is given; made anew for each Ask, since rights, the clock and the count move on. Throws `UserError`. */
export async function contextFor(
  shell: Shell,
  { origin, effect }: Pick<Asked, "origin"> & { readonly effect: "read" | "write" },
  signal: AbortSignal,
): Promise<Context> {
  const { settings, directory, api, calls } = shell;
  await checkChosen(shell, origin);
  const maxAgeMs = effect === "read" ? freshness.reading : freshness.deciding;
  const [profile, { account, binding, region: own }] = await Promise.all([
    shell.people.profile(origin.userId, maxAgeMs),
    shell.accounts.here(origin, effect),
  ]);
  calls.uses(account.username);
  const permissions = permissionsFor(shell, { profile, channelId: origin.channelId, account, binding });
  return {
    api: apiWithin(api.as(account), binding),
    account: {
      owner: account.owner,
      username: account.username,
      calls: () => calls.today(account.username),
    },
    permissions,
    records: recordsFor(shell, { profile, permissions, teamId: origin.teamId }),
    logs: logsOf(shell, account.username, { who: origin.userId, signal }),
    directory,
    settings: { ...settings, region: binding?.region ?? own ?? settings.region },
    defaultRegion: settings.region,
    binding: binding && boundTo(binding),
    asker: { ...profile, teamId: origin.teamId, channelId: origin.channelId },
    now: shell.now(),
    signal,
  };
}

function boundTo(binding: Binding): ChannelBinding {
  return { ...binding, covers: (name) => coversName(binding, name) };
}

type For = {
  readonly profile: Profile;
  readonly channelId: string;
  readonly account: Pick<OpenAccount, "username"> | undefined;
  /** What is outside of a locked one is refused; without it the policy alone judges. */
  readonly binding?: Binding | undefined;
};

export function permissionsFor(shell: Shell, { profile, channelId, account, binding }: For): Permissions {
  const { people, identity } = shell;
  const { botUserId } = identity;
  const policy = shell.policy();
  return createPermissions({ people, policy, profile, channelId, account: account?.username, binding, botUserId });
}

type Asking = { readonly who: string; readonly signal: AbortSignal };

function logsOf({ logs, envSeen }: Shell, account: string, asking: Asking): Logs {
  return {
    excerpt: (request, workload) => logs.excerpt({ ...request, secrets: envSeen.values(account, workload) }, asking),
    knowsEnv: (workload) => envSeen.isFresh(account, workload),
  };
}
