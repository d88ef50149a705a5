import type { NewHistoryEvent } from "../changes/history-event.ts";
import { bindingVerdict } from "../commands/lookup/binding-verdict.ts";
import type { BindingWish } from "../commands/command.ts";
import { type Binding, bindingInWords, type BindingTerms } from "../policy/binding.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { Post } from "../views/kit/message.ts";
import { refusalMessage } from "../views/messages/refusal-message.ts";
import { useMessage } from "../commands/verbs/use/message.ts";
import { checkChosen } from "./access/chosen-channel.ts";
import { permissionsFor } from "./access/context.ts";
import type { Interaction } from "./inbox/interaction.ts";
import { logEvent, placeEvent } from "./history.ts";
import { failureMessage } from "./failure.ts";
import { freshness, type Profile } from "../slack/directory/people.ts";
import { isDirect, type Origin } from "./origin.ts";
import { refusalEvent } from "./record-refusal.ts";
import type { Shell } from "./shell.ts";
import { tellChannel } from "../slack/send/tell-channel.ts";
import type { Reply } from "./inbox/reply.ts";

type BindInteraction = Extract<Interaction, { kind: "use" }> & { readonly reply: Reply };

/** Says what the channel is bound to, after the ack. Never rejects. */
export async function showBinding(shell: Shell, origin: Origin): Promise<void> {
  const { command } = shell.settings;
  const { teamId, channelId } = origin;
  try {
    const binding = await shell.store.bindingOf(teamId, channelId);
    const message = useMessage(
      binding === undefined ? { kind: "nothing", channelId, command } : { kind: "shown", binding, channelId, command },
    );
    await shell.poster.post(message, origin, { isShared: false });
  } catch (error) {
    await shell.poster.tell(failureMessage(shell, error, { verb: "use", effect: "read" }), origin);
  }
}

/**
 * Binds a channel, or takes its binding away: policy decides who may, and the channel is told. Done again it finds that it
 * is so already. Throws `UserError` or `StoreError`.
 */
export async function bindChannel(shell: Shell, { terms, origin, reply }: BindInteraction): Promise<void> {
  const { teamId, channelId, userId } = origin;
  const { command, region: defaultRegion, regions } = shell.settings;
  if (isDirect(channelId)) return reply.send(useMessage({ kind: "direct", command }), "refused");
  await checkChosen(shell, origin);
  const wish: BindingWish = terms === undefined ? { kind: "clear" } : { kind: "bind", terms };
  const [profile, before] = await Promise.all([
    shell.people.profile(userId, freshness.deciding),
    shell.store.bindingOf(teamId, channelId),
  ]);
  const permissions = permissionsFor(shell, { profile, channelId, account: undefined });
  const { verdict } = await bindingVerdict(wish, { binding: before, defaultRegion, asker: profile, permissions });
  const asked: Asked = { origin, profile, terms, before };
  if (verdict.kind !== "allow") return reply.send(await refuse(shell, asked, verdict), "refused");
  const isChanged = await write(shell, asked);
  const { name: by } = profile;
  const common = { channelId, command };
  const message =
    terms === undefined
      ? useMessage(isChanged ? { kind: "unbound", by, ...common } : { kind: "nothing", ...common })
      : useMessage({ kind: isChanged ? "bound" : "same", by, terms, regions, ...common });
  // Whoever asked reads it in the channel, with everybody else.
  if (isChanged && (await tellChannel(shell, origin, message))) return;
  await reply.send(message, "done");
}

type Asked = {
  readonly origin: Origin;
  readonly profile: Profile;
  readonly terms: BindingTerms | undefined;
  readonly before: Binding | undefined;
};

/** False: it was so already. What was read of the channel before is not believed any more. */
async function write({ store, accounts, log }: Shell, asked: Asked): Promise<boolean> {
  const { origin, profile, terms, before } = asked;
  const { teamId, channelId } = origin;
  const was = before === undefined ? "" : `it was bound to ${bindingInWords(before)}`;
  const event = eventOf(
    asked,
    terms === undefined ? { kind: "unbound", result: was } : { kind: "bound", result: bindingInWords(terms) },
  );
  const channel = { teamId, channelId };
  const boundBy = { userId: profile.userId, name: profile.name };
  const writing =
    terms === undefined ? store.unbind(channel, event) : store.bind(channel, { ...terms, boundBy }, event);
  const isChanged = await writing.finally(accounts.forget);
  if (isChanged) logEvent({ log }, event);
  return isChanged;
}

async function refuse(shell: Shell, asked: Asked, verdict: Verdict): Promise<Post> {
  if (verdict.kind !== "refuse") throw new Error(`a binding cannot wait, but the policy says ${verdict.kind}`);
  const { origin, profile: who, terms } = asked;
  const event = refusalEvent({
    refusal: verdict,
    workload: undefined,
    verb: "use",
    origin,
    who,
    account: terms?.account,
  });
  await shell.store.addEvent(event);
  logEvent(shell, event);
  return refusalMessage({ kind: "policy", verdict, command: shell.settings.command });
}

type Happened = Pick<NewHistoryEvent, "kind" | "result">;

function eventOf({ origin, profile, terms }: Asked, happened: Happened): NewHistoryEvent {
  return placeEvent(origin, profile, { ...happened, verb: "use", account: terms?.account });
}
