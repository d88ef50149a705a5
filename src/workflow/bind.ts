import type { NewEvent } from "../changes/history-event.ts";
import { bindingVerdict } from "../commands/binding-verdict.ts";
import type { BindingWish } from "../commands/command.ts";
import { type Binding, bindingInWords, type BindingTerms } from "../policy/binding.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { Post } from "../views/kit/message.ts";
import { refusalMessage } from "../views/messages/refusal-message.ts";
import { useMessage } from "../commands/verbs/use/message.ts";
import { checkChosen } from "./access/chosen-channel.ts";
import { judgeFor } from "./access/context.ts";
import type { Deed } from "./inbox/interaction.ts";
import { logEvent, placeEvent } from "./history.ts";
import { failureMessage } from "./failure.ts";
import { freshness, type Profile } from "../slack/directory/people.ts";
import { isDirect, type Place } from "./origin.ts";
import { refusalEvent } from "./record-refusal.ts";
import type { Shell } from "./shell.ts";
import { tellChannel } from "../slack/send/tell-channel.ts";
import type { Telling } from "./inbox/reply.ts";

type UseDeed = Extract<Deed, { kind: "use" }> & { readonly telling: Telling };

/** Says what the channel is bound to, after the ack. Never rejects. */
export async function showBinding(shell: Shell, place: Place): Promise<void> {
  const { command } = shell.settings;
  const { teamId, channelId } = place;
  try {
    const binding = await shell.store.bindingOf(teamId, channelId);
    const message = useMessage(
      binding === undefined ? { kind: "nothing", channelId, command } : { kind: "shown", binding, channelId, command },
    );
    await shell.poster.post(message, place, { isShared: false });
  } catch (error) {
    await shell.poster.tell(failureMessage(shell, error, { verb: "use", effect: "read" }), place);
  }
}

/**
 * Binds a channel, or takes its binding away: policy decides who may, and the channel is told. Done again it finds that it
 * is so already. Throws `UserError` or `StoreError`.
 */
export async function bindChannel(shell: Shell, { terms, place, telling }: UseDeed): Promise<void> {
  const { teamId, channelId, userId } = place;
  const { command, region: defaultRegion, regions } = shell.settings;
  if (isDirect(channelId)) return telling.say(useMessage({ kind: "direct", command }), "refused");
  await checkChosen(shell, place);
  const wish: BindingWish = terms === undefined ? { kind: "clear" } : { kind: "bind", terms };
  const [profile, before] = await Promise.all([
    shell.people.profile(userId, freshness.deciding),
    shell.store.bindingOf(teamId, channelId),
  ]);
  const judge = judgeFor(shell, { profile, channelId, account: undefined });
  const { verdict } = await bindingVerdict(wish, { binding: before, defaultRegion, asker: profile, judge });
  const asked: Asked = { place, profile, terms, before };
  if (verdict.kind !== "allow") return telling.say(await refuse(shell, asked, verdict), "refused");
  const isChanged = await write(shell, asked);
  const { name: by } = profile;
  const common = { channelId, command };
  const message =
    terms === undefined
      ? useMessage(isChanged ? { kind: "unbound", by, ...common } : { kind: "nothing", ...common })
      : useMessage({ kind: isChanged ? "bound" : "same", by, terms, regions, ...common });
  // Whoever asked reads it in the channel, with everybody else.
  if (isChanged && (await tellChannel(shell, place, message))) return;
  await telling.say(message, "told");
}

type Asked = {
  readonly place: Place;
  readonly profile: Profile;
  readonly terms: BindingTerms | undefined;
  readonly before: Binding | undefined;
};

/** False: it was so already. What was read of the channel before is not believed any more. */
async function write({ store, accounts, log }: Shell, asked: Asked): Promise<boolean> {
  const { place, profile, terms, before } = asked;
  const { teamId, channelId } = place;
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
  const { place, profile: who, terms } = asked;
  const event = refusalEvent({
    refusal: verdict,
    workload: undefined,
    verb: "use",
    place,
    who,
    account: terms?.account,
  });
  await shell.store.addEvent(event);
  logEvent(shell, event);
  return refusalMessage({ kind: "policy", verdict, command: shell.settings.command });
}

type Happened = Pick<NewEvent, "kind" | "result">;

function eventOf({ place, profile, terms }: Asked, happened: Happened): NewEvent {
  return placeEvent(place, profile, { ...happened, verb: "use", account: terms?.account });
}
