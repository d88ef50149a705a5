import type { Post } from "../../views/kit/post.ts";
import { announcement } from "../post/announcement.ts";
import { boundTo, type AccountOwner } from "../../accounts/resolve.ts";
import { Problem, refusesAccount } from "../../../api/problem.ts";
import type { NewHistoryEvent } from "../../changes/history-event.ts";
import { accountMessage, connectForm, connectResult } from "../../views/forms/connect-form.ts";
import { UserError } from "../../errors.ts";
import { sentence } from "../../views/messages/sentences.ts";
import type { Interaction, Reply } from "../inbox/interaction.ts";
import { logEvent, originEvent, recordRefusal } from "../history.ts";
import type { Origin } from "../origin.ts";
import type { Profile } from "../stored.ts";
import { type WorkflowParts, freshness } from "../ports.ts";
import { within } from "../../../platform/waiting.ts";
import type { Refusal } from "../../commands/lookup/may-see.ts";
import { checkChosen } from "../access/context.ts";
import type { Whose } from "../../commands/command.ts";
import { permissionsFor } from "../access/permissions.ts";
import { bindingVerdict } from "../../commands/lookup/authorize.ts";

type ConnectInteraction = Extract<Interaction, { kind: "connect" }> & { readonly reply: Reply };
type DisconnectInteraction = Extract<Interaction, { kind: "disconnect" }> & { readonly reply: Reply };

/**
 * Links an account: the workload API is asked once whether it accepts user name and token, then the token is sealed for this
 * owner alone. The form shows the result; after a wrong token it keeps the user name. Repeating it changes nothing.
 */
export async function connect(
  deps: WorkflowParts,
  interaction: ConnectInteraction,
  signal: AbortSignal,
): Promise<void> {
  try {
    await linkAccount(deps, interaction, signal);
  } catch (error) {
    // The form must not stay at "checking". The error is also shown beside it.
    const why = error instanceof UserError ? error.message : "Something went wrong in Gantry.";
    await deps.responder.showInForm(
      interaction.viewId,
      connectResult({ kind: "failed", why, next: "Try again in a minute." }),
    );
    throw error;
  }
}

async function linkAccount(deps: WorkflowParts, interaction: ConnectInteraction, signal: AbortSignal): Promise<void> {
  const { origin, whose, username, token, viewId } = interaction;
  const { command } = deps.settings;
  const owner = linkOwner(whose, origin);
  const profile = await checkLink(deps, { kind: "connect", whose, origin });
  const refused = await refusalOf(deps, interaction, signal);
  if (refused !== undefined) {
    const form = connectForm({ owner, username, problems: [refused], metadata: JSON.stringify({ whose, origin }) });
    // Closed, or not taken by Slack, which would go on showing that the token is checked.
    if (await deps.responder.showInForm(viewId, form)) return;
    return interaction.reply.send(sentence(`${refused} Nothing was connected.`), "refused");
  }
  const account = { teamId: origin.teamId, owner, username };
  const sealedToken = deps.sealer.seal(token, boundTo(account));
  const message = accountMessage({ kind: "connected", owner, username, command });
  const event = eventFor({ kind: "connected", origin, profile, username, whose }, message);
  await deps.store
    .saveAccount({ ...account, sealedToken, linkedBy: origin.userId }, event)
    .finally(deps.accounts.forget);
  logEvent(deps, event);
  await deps.responder.showInForm(viewId, connectResult({ kind: "done", owner, username, command }));
  await interaction.reply.send(message, "done");
}

export async function disconnect(deps: WorkflowParts, interaction: DisconnectInteraction): Promise<void> {
  const { origin, whose } = interaction;
  const profile = await checkLink(deps, { kind: "disconnect", whose, origin });
  const owner = linkOwner(whose, origin);
  const { own, channel, workspace } = await deps.store.impliedFor(origin);
  const { username } = { mine: own, channel, workspace }[whose] ?? {};
  const { command } = deps.settings;
  const removed = accountMessage({ kind: "disconnected", owner, command });
  const event = eventFor({ kind: "disconnected", origin, profile, username, whose }, removed);
  const isRemoved = await deps.store.removeAccount(origin.teamId, owner, event).finally(deps.accounts.forget);
  if (isRemoved) logEvent(deps, event);
  const message = isRemoved ? removed : accountMessage({ kind: "nothing-linked", owner, command });
  await interaction.reply.send(message, "done");
}

/** One live call; undefined when the API accepts the account. */
async function refusalOf(
  deps: WorkflowParts,
  { username, token }: ConnectInteraction,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { region } = deps.settings;
  try {
    const call = { op: "listServices", path: { region }, query: undefined, body: undefined } as const;
    await deps.api.as({ username, token }).send(call, { signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (refusesAccount(error)) {
      return "The workload API rejected this user name or token. Check both and enter the token again.";
    }
    return `${error.sentence} ${error.next}`;
  }
}

type Linking = {
  readonly kind: "connected" | "disconnected";
  readonly origin: Origin;
  readonly profile: Profile;
  readonly username: string | undefined;
  readonly whose: ConnectInteraction["whose"];
};

/** A channel reads what happened to its account. */
function eventFor({ kind, origin, profile, username, whose }: Linking, message: Post): NewHistoryEvent {
  const verb = kind === "connected" ? "connect" : "disconnect";
  const result = { mine: "own account", channel: "the channel's account", workspace: "the workspace's account" }[whose];
  const announced =
    whose === "channel"
      ? announcement(origin.channelId, { by: origin.userId, names: "no workload", post: message })
      : undefined;
  return originEvent(origin, profile, { kind, verb, result, account: username, announcement: announced });
}

type LinkAttempt = {
  readonly kind: "connect" | "disconnect";
  readonly whose: Whose;
  readonly origin: Origin;
};

type MayLink = { readonly profile: Profile; readonly refusal: Refusal | undefined };

/**
 * Whether a person may link or unlink an account. Full members may for their own. Others act with a channel's account,
 * so policy decides as for lifting its binding: a lock protects the account too. Throws a `UserError` when Slack doesn't answer.
 */
async function mayLink(deps: WorkflowParts, { whose, origin }: LinkAttempt): Promise<MayLink> {
  const { teamId, channelId, userId } = origin;
  if (whose === "channel") await checkChosen(deps.people, origin);
  const profile = await deps.people.profile(userId, freshness.deciding);
  if (profile.standing !== "member") return { profile, refusal: membersOnly };
  if (whose === "mine") return { profile, refusal: undefined };
  // Everybody acts with it, so it isn't a question for the policy, which may be for one channel.
  if (whose === "workspace" && deps.accounts.isConfigured) return { profile, refusal: configured };
  if (whose === "workspace") return { profile, refusal: profile.isAdmin ? undefined : adminsOnly };
  const binding = await deps.store.bindingOf(teamId, channelId);
  const permissions = permissionsFor(deps, { profile, channelId, account: undefined });
  const { region: defaultRegion } = deps.settings;
  const { verdict } = await bindingVerdict({ kind: "clear" }, { binding, defaultRegion, asker: profile, permissions });
  return { profile, refusal: verdict.kind === "refuse" ? verdict : undefined };
}

const configured: Refusal = {
  kind: "refuse",
  rule: undefined,
  why: "The workspace's account is in Gantry's settings, so it can't be connected or disconnected here.",
  next: "Ask your Gantry admin, or connect your own account with `/gantry connect`.",
};

const adminsOnly: Refusal = {
  kind: "refuse",
  rule: undefined,
  why: "Only workspace admins can connect or disconnect the workspace's account.",
  next: "Ask a workspace admin, or connect your own account with `/gantry connect`.",
};

const membersOnly: Refusal = {
  kind: "refuse",
  rule: undefined,
  why: "Only full members of this workspace can connect or disconnect an account.",
  next: "Ask a full member or your Gantry admin.",
};

/** Returns the person's profile if they may link. Otherwise records the refusal in history and throws a `UserError`. */
async function checkLink(deps: WorkflowParts, linking: LinkAttempt): Promise<Profile> {
  const { profile, refusal } = await mayLink(deps, linking);
  if (refusal === undefined) return profile;
  await recordRefusal(deps, refusedLink(linking, profile, refusal));
  throw new UserError(refusal.why, { next: refusal.next });
}

function refusedLink({ kind: verb, origin }: LinkAttempt, who: Profile, refusal: Refusal) {
  return { refusal, workload: undefined, verb, origin, who, account: undefined };
}

/** Slack waits 3 s for the ack, which comes after this. */
const CHECK_WITHIN_MS = 1_000;

/**
 * Refuses before asking for a token. Undefined when linking is allowed or the check is too slow: it runs again when the
 * token is submitted. Never rejects.
 */
export async function refusedEarly(deps: WorkflowParts, linking: LinkAttempt): Promise<Refusal | undefined> {
  const checked = mayLink(deps, linking).catch(() => undefined);
  const may = await within(CHECK_WITHIN_MS, checked, () => undefined, deps.clock);
  if (may?.refusal === undefined) return undefined;
  const { profile, refusal } = may;
  deps.lanes.background(recordRefusal(deps, refusedLink(linking, profile, refusal)));
  return refusal;
}

/** The person's own account, that of the channel where it was requested, or the workspace's. */
export function linkOwner(whose: Whose, { userId, channelId }: Origin): AccountOwner {
  if (whose === "workspace") return { kind: "workspace" };
  return whose === "mine" ? { kind: "user", userId } : { kind: "channel", channelId };
}
