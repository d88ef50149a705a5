import type { OpenAccount } from "../../accounts/resolve.ts";
import type { Context } from "../../commands/command.ts";
import { type Binding, coversName, outsideLock } from "../../policy/binding.ts";
import type { Origin } from "../origin.ts";
import { freshness, type WorkflowParts, type People } from "../ports.ts";
import { permissionsFor } from "./permissions.ts";
import { recordsFor } from "./records.ts";
import type { GuardedAccountApi } from "../../../api/client.ts";
import { UserError } from "../../errors.ts";
import { operationFacts } from "../../policy/operation-facts.ts";
import { beforeNo } from "./approvers.ts";

type AccessRequest = { readonly origin: Origin; readonly effect: "read" | "write" };

/** The input of a verb; made for each request, because rights, the clock and the call count move on. Throws `UserError`. */
export async function contextFor(deps: WorkflowParts, asked: AccessRequest, signal: AbortSignal): Promise<Context> {
  return (await accessFor(deps, asked, signal)).context;
}

/** The same, with the account whose token verbs don't see. */
export async function accessFor(
  deps: WorkflowParts,
  { origin, effect }: AccessRequest,
  signal: AbortSignal,
): Promise<{ readonly context: Context; readonly account: OpenAccount }> {
  const { settings, directory, api, calls, people } = deps;
  await checkChosen(people, origin);
  const maxAgeMs = effect === "read" ? freshness.profile : freshness.deciding;
  const [profile, { account, isUsual, binding, region: own }] = await Promise.all([
    people.profile(origin.userId, maxAgeMs),
    deps.accounts.resolve(origin, effect),
  ]);
  const permissionsWith = (username = account.username) =>
    permissionsFor(deps, { profile, channelId: origin.channelId, account: { username }, binding });
  const permissions = permissionsWith();
  const context: Context = {
    api: apiWithin(api.as(account), binding),
    engine: () => api.engine(),
    account: {
      owner: account.owner,
      username: account.username,
      isUsual,
      calls: () => calls.today(account.username),
    },
    permissions,
    records: recordsFor(deps, { profile, permissionsWith, teamId: origin.teamId, channelId: origin.channelId }),
    logs: deps.logs.readWith(account.username, { who: origin.userId, signal }),
    directory,
    settings: { ...settings, region: binding?.region ?? own ?? settings.region },
    defaultRegion: settings.region,
    binding: binding && { ...binding, covers: (name) => coversName(binding, name) },
    asker: { ...profile, teamId: origin.teamId, channelId: origin.channelId },
    now: deps.clock.now(),
    clock: deps.clock,
    signal,
  };
  return { context, account };
}

/**
 * The API for a locked channel: throws a `UserError` for a call about anything outside, before it is sent, so that not even
 * an error reveals what exists.
 */
export function apiWithin(api: GuardedAccountApi, binding: Binding | undefined): GuardedAccountApi {
  if (binding?.isLocked !== true) return api;
  return {
    async send(call, options) {
      const path: {
        readonly region: string;
        readonly service_name?: string;
        readonly job_name?: string;
      } = call.path;
      const name = path.service_name ?? path.job_name;
      const outside = outsideLock(binding, { kind: operationFacts[call.op].kind, region: path.region, name });
      if (outside !== undefined) throw new UserError(outside.why, { next: outside.next });
      return api.send(call, options);
    },
  };
}

/**
 * Checks that a person is in the channel that they chose in a form: its rules and accounts are for members only. Throws a
 * `UserError` if they aren't, or if Slack can't say.
 */
export async function checkChosen(people: People, origin: Origin): Promise<void> {
  const { isChosen, channelId, userId } = origin;
  if (isChosen !== true) return;
  const members = await beforeNo(
    people,
    (maxAgeMs) => people.channelMembers(channelId, maxAgeMs),
    (known) => known?.has(userId) === true,
  );
  if (members === undefined) {
    throw new UserError("I'm not in the channel you chose. Nothing was changed.", {
      next: "Choose another one, or invite me with `/invite`.",
    });
  }
  if (members.has(userId)) return;
  throw new UserError("You're not in the channel you chose. Nothing was changed.", {
    next: "Choose one you're in, or join it.",
  });
}
