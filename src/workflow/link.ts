import { boundTo } from "../accounts/resolve.ts";
import { Problem } from "../api/problem.ts";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import { accountMessage } from "../views/messages/account-message.ts";
import { UserError } from "../errors.ts";
import { connectForm, connectResult } from "../views/forms/connect-form.ts";
import type { Interaction } from "./inbox/interaction.ts";
import { logEvent, placeEvent } from "./history.ts";
import { updateForm } from "../slack/modals/update-view.ts";
import { linkOwner } from "./link-owner.ts";
import { checkLink } from "./access/may-link.ts";
import type { Profile } from "../slack/directory/people.ts";
import type { Origin } from "./origin.ts";
import type { Shell } from "./shell.ts";
import { tellChannel } from "../slack/send/tell-channel.ts";
import type { Reply } from "./inbox/reply.ts";

type Speaking = { readonly reply: Reply };
type ConnectInteraction = Extract<Interaction, { kind: "connect" }> & Speaking;
type DisconnectInteraction = Extract<Interaction, { kind: "disconnect" }> & Speaking;

/**
 * Links an account: the service is asked once whether it knows user name and token, then the token is sealed for this
 * owner alone. The form says how it went; a wrong token leaves the form with what can be kept. Doing it twice is the same.
 */
export async function connect(shell: Shell, interaction: ConnectInteraction, signal: AbortSignal): Promise<void> {
  try {
    await linkAccount(shell, interaction, signal);
  } catch (error) {
    // The form must not go on saying that it tries. What went wrong is also told beside it.
    const why = error instanceof UserError ? error.message : "Something went wrong in Gantry or on the way.";
    await updateForm(shell, interaction.viewId, connectResult({ kind: "failed", why, next: "Try again in a minute." }));
    throw error;
  }
}

async function linkAccount(shell: Shell, interaction: ConnectInteraction, signal: AbortSignal): Promise<void> {
  const { origin, whose, username, token, viewId } = interaction;
  const { command } = shell.settings;
  const owner = linkOwner(whose, origin);
  const profile = await checkLink(shell, { kind: "connect", whose, origin });
  const show = async (view: object): Promise<void> => void (await updateForm(shell, viewId, view));
  const refused = await refusalOf(shell, interaction, signal);
  if (refused !== undefined) {
    const metadata = JSON.stringify({ whose, origin });
    return show(connectForm({ owner, username, problems: [refused], metadata }));
  }
  const account = { teamId: origin.teamId, owner, username };
  const sealedToken = shell.sealer.seal(token, boundTo(account));
  const event = eventFor({ kind: "connected", origin, profile, username, whose });
  await shell.store
    .saveAccount({ ...account, sealedToken, linkedBy: origin.userId }, event)
    .finally(shell.accounts.forget);
  logEvent(shell, event);
  await show(connectResult({ kind: "done", owner, username, command }));
  const told = accountMessage({ kind: "connected", owner, username, command });
  await interaction.reply.send(told, "done");
  if (whose === "channel") await tellChannel(shell, origin, told);
}

export async function disconnect(shell: Shell, interaction: DisconnectInteraction): Promise<void> {
  const { origin, whose } = interaction;
  const profile = await checkLink(shell, { kind: "disconnect", whose, origin });
  const owner = linkOwner(whose, origin);
  const { own, channel } = await shell.store.accountsFor(origin);
  const username = (whose === "mine" ? own : channel)?.username;
  const event = eventFor({ kind: "disconnected", origin, profile, username, whose });
  const isRemoved = await shell.store.removeAccount(origin.teamId, owner, event).finally(shell.accounts.forget);
  if (isRemoved) logEvent(shell, event);
  const { command } = shell.settings;
  const told = accountMessage({ kind: isRemoved ? "disconnected" : "nothing-linked", owner, command });
  await interaction.reply.send(told, "done");
  if (isRemoved && whose === "channel") await tellChannel(shell, origin, told);
}

/** One live call; undefined when the service knows the account. */
async function refusalOf(
  shell: Shell,
  { username, token }: ConnectInteraction,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { region } = shell.settings;
  try {
    const call = { op: "listServices", path: { region }, query: undefined, body: undefined } as const;
    await shell.api.as({ username, token }).send(call, { signal });
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401 || error.status === 403) {
      return "The service does not know this user name with this token. Check both; the token has to be typed again.";
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
  const result = whose === "mine" ? "the person's own account" : "the channel's account";
  return placeEvent(origin, profile, { kind, verb, result, account: username });
}
