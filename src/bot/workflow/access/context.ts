import type { OpenAccount } from "../../accounts/account.ts";
import type { ChannelBinding, Context, Logs } from "../../commands/command.ts";
import { type Binding, coversName } from "../../policy/binding.ts";
import type { Origin } from "../origin.ts";
import { freshness, type WorkflowParts } from "../ports.ts";
import { checkChosen } from "./chosen-channel.ts";
import { apiWithin } from "./locked-api.ts";
import { permissionsFor } from "./permissions.ts";
import { recordsFor } from "./records.ts";

type Asked = { readonly origin: Origin; readonly effect: "read" | "write" };

/** The input of a verb; made for each request, because rights, the clock and the call count move on. Throws `UserError`. */
export async function contextFor(deps: WorkflowParts, asked: Asked, signal: AbortSignal): Promise<Context> {
  return (await accessFor(deps, asked, signal)).context;
}

/** The same, with the account whose token verbs don't see. */
export async function accessFor(
  deps: WorkflowParts,
  { origin, effect }: Asked,
  signal: AbortSignal,
): Promise<{ readonly context: Context; readonly account: OpenAccount }> {
  const { settings, directory, api, calls, people } = deps;
  await checkChosen(people, origin);
  const maxAgeMs = effect === "read" ? freshness.profile : freshness.deciding;
  const [profile, { account, binding, region: own }] = await Promise.all([
    people.profile(origin.userId, maxAgeMs),
    deps.accounts.resolve(origin, effect),
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
  { logs, envValues }: Pick<WorkflowParts, "logs" | "envValues">,
  account: string,
  reading: Reading,
): Logs {
  return {
    excerpt: (request, workload) => logs.excerpt({ ...request, secrets: envValues.values(account, workload) }, reading),
    knowsEnv: (workload) => envValues.isFresh(account, workload),
  };
}
