import { boundTo } from "../accounts/resolve.ts";
import { Problem } from "../../api/problem.ts";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import { accountMessage } from "../views/messages/account-message.ts";
import { UserError } from "../errors.ts";
import { connectForm, connectResult } from "../views/forms/connect-form.ts";
import type { Interaction, Reply } from "./inbox/interaction.ts";
import { logEvent, originEvent } from "./history.ts";
import { checkLink, linkOwner } from "./access/may-link.ts";
import type { Origin } from "./origin.ts";
import type { Profile, WorkflowParts } from "./ports.ts";

type Answered = { readonly reply: Reply };
type ConnectInteraction = Extract<Interaction, { kind: "connect" }> & Answered;
type DisconnectInteraction = Extract<Interaction, { kind: "disconnect" }> & Answered;

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
  const show = async (view: object): Promise<void> => void (await deps.responder.showInForm(viewId, view));
  const refused = await refusalOf(deps, interaction, signal);
  if (refused !== undefined) {
    const metadata = JSON.stringify({ whose, origin });
    return show(connectForm({ owner, username, problems: [refused], metadata }));
  }
  const account = { teamId: origin.teamId, owner, username };
  const sealedToken = deps.sealer.seal(token, boundTo(account));
  const event = eventFor({ kind: "connected", origin, profile, username, whose });
  await deps.store
    .saveAccount({ ...account, sealedToken, linkedBy: origin.userId }, event)
    .finally(deps.accounts.forget);
  logEvent(deps, event);
  await show(connectResult({ kind: "done", owner, username, command }));
  const message = accountMessage({ kind: "connected", owner, username, command });
  await interaction.reply.send(message, "done");
  if (whose === "channel") await deps.responder.announce(origin.channelId, message);
}

export async function disconnect(deps: WorkflowParts, interaction: DisconnectInteraction): Promise<void> {
  const { origin, whose } = interaction;
  const profile = await checkLink(deps, { kind: "disconnect", whose, origin });
  const owner = linkOwner(whose, origin);
  const { own, channel, workspace } = await deps.store.accountsFor(origin);
  const { username } = { mine: own, channel, workspace }[whose] ?? {};
  const event = eventFor({ kind: "disconnected", origin, profile, username, whose });
  const isRemoved = await deps.store.removeAccount(origin.teamId, owner, event).finally(deps.accounts.forget);
  if (isRemoved) logEvent(deps, event);
  const { command } = deps.settings;
  const message = accountMessage({ kind: isRemoved ? "disconnected" : "nothing-linked", owner, command });
  await interaction.reply.send(message, "done");
  if (isRemoved && whose === "channel") await deps.responder.announce(origin.channelId, message);
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
    if (error.status === 401 || error.status === 403) {
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

function eventFor({ kind, origin, profile, username, whose }: Linking): NewHistoryEvent {
  const verb = kind === "connected" ? "connect" : "disconnect";
  const result = { mine: "own account", channel: "the channel's account", workspace: "the workspace's account" }[whose];
  return originEvent(origin, profile, { kind, verb, result, account: username });
}
