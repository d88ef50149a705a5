import type { OpenAccount } from "../../accounts/account.ts";
import type { Api } from "../../../api/client.ts";
import type { ChannelBinding, Context, Logs, Settings } from "../../commands/command.ts";
import type { Directory } from "../../commands/lookup/directory.ts";
import type { LogPool } from "../../logs/threads/log-pool.ts";
import { type Binding, coversName } from "../../policy/binding.ts";
import type { Origin } from "../origin.ts";
import { type Accounts, type Clock, freshness } from "../ports.ts";
import type { CallCounts } from "./call-counts.ts";
import { checkChosen } from "./chosen-channel.ts";
import type { EnvValues } from "./env-values.ts";
import { apiWithin } from "./locked-api.ts";
import { type PermissionsDeps, permissionsFor } from "./permissions.ts";
import { type RecordsDeps, recordsFor } from "./records.ts";

export type ContextDeps = PermissionsDeps &
  RecordsDeps & {
    readonly accounts: Pick<Accounts, "here">;
    readonly api: Pick<Api, "as" | "engine">;
    readonly calls: CallCounts;
    readonly clock: Pick<Clock, "now">;
    readonly directory: Directory;
    readonly envValues: EnvValues;
    readonly logs: Pick<LogPool, "excerpt">;
    readonly settings: Settings;
  };

type Asked = { readonly origin: Origin; readonly effect: "read" | "write" };

/** The input of a verb; made for each request, because rights, the clock and the call count move on. Throws `UserError`. */
export async function contextFor(deps: ContextDeps, asked: Asked, signal: AbortSignal): Promise<Context> {
  return (await accessFor(deps, asked, signal)).context;
}

/** The same, with the account whose token verbs don't see. */
export async function accessFor(
  deps: ContextDeps,
  { origin, effect }: Asked,
  signal: AbortSignal,
): Promise<{ readonly context: Context; readonly account: OpenAccount }> {
  const { settings, directory, api, calls, people } = deps;
  await checkChosen(people, origin);
  const maxAgeMs = effect === "read" ? freshness.profile : freshness.deciding;
  const [profile, { account, binding, region: own }] = await Promise.all([
    people.profile(origin.userId, maxAgeMs),
    deps.accounts.here(origin, effect),
  ]);
  calls.uses(account.username);
  const permissions = permissionsFor(deps, { profile, channelId: origin.channelId, account, binding });
  const context: Context = {
    api: apiWithin(api.as(account), binding),
    engine: () => api.engine(),
    account: {
      owner: account.owner,
      username: account.username,
      calls: () => calls.today(account.username),
    },
    permissions,
    records: recordsFor(deps, { profile, permissions, teamId: origin.teamId }),
    logs: logsFor(deps, account.username, { who: origin.userId, signal }),
    directory,
    settings: { ...settings, region: binding?.region ?? own ?? settings.region },
    defaultRegion: settings.region,
    binding: binding && boundTo(binding),
    asker: { ...profile, teamId: origin.teamId, channelId: origin.channelId },
    now: deps.clock.now(),
    signal,
  };
  return { context, account };
}

function boundTo(binding: Binding): ChannelBinding {
  return { ...binding, covers: (name) => coversName(binding, name) };
}

type Reading = { readonly who: string; readonly signal: AbortSignal };

function logsFor(
  { logs, envValues }: Pick<ContextDeps, "logs" | "envValues">,
  account: string,
  reading: Reading,
): Logs {
  return {
    excerpt: (request, workload) => logs.excerpt({ ...request, secrets: envValues.values(account, workload) }, reading),
    knowsEnv: (workload) => envValues.isFresh(account, workload),
  };
}
