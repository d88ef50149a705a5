import type { Announcement } from "../../changes/history-event.ts";
import { announcement } from "../post/announcement.ts";
import type { BindingWish } from "../../commands/command.ts";
import { type Binding, bindingInWords, type BindingTerms } from "../../policy/binding.ts";
import type { Verdict, Rule } from "../../policy/policy.ts";
import type { Post } from "../../views/kit/post.ts";
import { refusalMessage } from "../../views/messages/error-messages.ts";
import { useMessage } from "../../commands/verbs/use.ts";
import { checkChosen } from "../access/context.ts";
import { permissionsFor } from "../access/permissions.ts";
import type { Interaction, Reply } from "../inbox/interaction.ts";
import { failureMessage } from "../reply.ts";
import { logEvent, recordEvent, originEvent, refusalEvent } from "../history.ts";
import { isDirect, type Origin } from "../origin.ts";
import { freshness, type WorkflowParts } from "../ports.ts";
import type { Profile } from "../stored.ts";
import { bindingVerdict } from "../../commands/lookup/authorize.ts";
import { boundTo, type LinkedAccount } from "../../accounts/resolve.ts";
import { type Sealer, SealError } from "../../accounts/seal.ts";
import { sentences } from "../../views/messages/sentences.ts";

type BindInteraction = Extract<Interaction, { kind: "use" }> & { readonly reply: Reply };

/** Shows the channel's binding, after the ack. Never rejects. */
export async function showBinding(deps: WorkflowParts, origin: Origin): Promise<void> {
  const { command } = deps.settings;
  const { teamId, channelId } = origin;
  try {
    const binding = await deps.store.bindingOf(teamId, channelId);
    const message = useMessage(
      binding === undefined ? { kind: "nothing", channelId, command } : { kind: "shown", binding, channelId, command },
    );
    await deps.responder.answer(message, origin, { isShared: false });
  } catch (error) {
    await deps.responder.tell(failureMessage(deps, error, { verb: "use", effect: "read" }), origin);
  }
}

/**
 * Binds a channel, or removes its binding: policy decides who may, and the channel gets an announcement. Idempotent.
 * Throws `UserError` or `StoreError`.
 */
export async function bindChannel(deps: WorkflowParts, { terms, origin, reply }: BindInteraction): Promise<void> {
  const { teamId, channelId, userId } = origin;
  const { command, region: defaultRegion, regions } = deps.settings;
  if (isDirect(channelId)) return reply.send(useMessage({ kind: "direct", command }), "refused");
  await checkChosen(deps.people, origin);
  const wish: BindingWish = terms === undefined ? { kind: "clear" } : { kind: "bind", terms };
  const [profile, before] = await Promise.all([
    deps.people.profile(userId, freshness.deciding),
    deps.store.bindingOf(teamId, channelId),
  ]);
  const permissions = permissionsFor(deps, { profile, channelId, account: undefined });
  const { verdict } = await bindingVerdict(wish, { binding: before, defaultRegion, asker: profile, permissions });
  const asked: BindingRequest = { origin, profile, terms, before };
  if (verdict.kind !== "allow") return reply.send(await refuse(deps, asked, verdict), "refused");
  const { name: by } = profile;
  const common = { channelId, command };
  const news =
    terms === undefined
      ? useMessage({ kind: "unbound", by, ...common })
      : useMessage({ kind: "bound", by, terms, regions, ...common });
  const announced = announcement(channelId, { by: userId, names: "no workload", post: news });
  if (await write(deps, asked, announced)) {
    // The person reads it in the channel, with everybody else.
    if (!(await deps.deliver(announced, teamId))) await reply.send(news, "done");
    return;
  }
  const nothing =
    terms === undefined
      ? useMessage({ kind: "nothing", ...common })
      : useMessage({ kind: "same", by, terms, regions, ...common });
  await reply.send(nothing, "done");
}

type BindingRequest = {
  readonly origin: Origin;
  readonly profile: Profile;
  readonly terms: BindingTerms | undefined;
  readonly before: Binding | undefined;
};

/** False: there was nothing to change. Cached bindings are dropped either way. */
async function write(
  { store, accounts, log }: WorkflowParts,
  asked: BindingRequest,
  announced: Announcement,
): Promise<boolean> {
  const { origin, profile, terms, before } = asked;
  const { teamId, channelId } = origin;
  const was = before === undefined ? "" : `was: ${bindingInWords(before)}`;
  const happened =
    terms === undefined
      ? ({ kind: "unbound", result: was } as const) // a literal kind
      : ({ kind: "bound", result: bindingInWords(terms) } as const); // a literal kind
  const about = { ...happened, verb: "use", account: terms?.account, announcement: announced };
  const event = originEvent(origin, profile, about);
  const channel = { teamId, channelId };
  const boundBy = { userId: profile.userId, name: profile.name };
  const writing =
    terms === undefined ? store.unbind(channel, event) : store.bind(channel, { ...terms, boundBy }, event);
  const isChanged = await writing.finally(accounts.forget);
  if (isChanged) logEvent({ log }, event);
  return isChanged;
}

async function refuse(deps: WorkflowParts, asked: BindingRequest, verdict: Verdict): Promise<Post> {
  if (verdict.kind !== "refuse") throw new Error(`a binding can't wait, but the policy says ${verdict.kind}`);
  const { origin, profile: who, terms } = asked;
  const event = refusalEvent({
    refusal: verdict,
    workload: undefined,
    verb: "use",
    origin,
    who,
    account: terms?.account,
  });
  await recordEvent(deps, event);
  return refusalMessage({ kind: "policy", verdict, command: deps.settings.command });
}

type Move = { readonly teamId: string; readonly from: string; readonly to: string };

/**
 * A channel got another id: its binding, account and requests go with it. Policy rules that name the old id go on
 * applying, and the channel gets a message that the file is outdated.
 * Repeating it changes nothing. Throws a `StoreError`.
 */
export async function moveChannel(deps: WorkflowParts, move: Move): Promise<void> {
  const { accounts, policy, log } = deps;
  await moveRows(deps, move).finally(accounts.forget);
  const { source, rules } = policy();
  const outdated = rules.filter((rule) => namesChannel(rule, move.from)).map(({ name }) => name);
  if (outdated.length === 0) return log.info(move, "a channel has another id");
  log.error({ ...move, source, rules: outdated }, "a channel has another id, and policy rules name the old one");
  const message = sentences.policyNamesOldId({ ...move, source, rules: outdated });
  await deps.store.announce(move.teamId, announcement(move.to, { by: "", names: "no workload", post: message }));
}

/** The account is read before it is moved: somebody may connect another one in between. */
async function moveRows({ store, sealer }: WorkflowParts, move: Move): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1) {
    const { teamId, from, to } = move;
    const { channel } = await store.impliedFor({ teamId, userId: "", channelId: from });
    const token = channel && { was: channel.sealedToken, now: resealed(sealer, channel, to) };
    if (await store.moveChannel({ ...move, token })) return;
  }
  throw new Error("the account of a channel changes too often to be moved");
}

/** A token is bound to its row. One that can't be opened moves as it is: it is refused there too, and no other is used. */
function resealed(sealer: Sealer, account: LinkedAccount, channelId: string): string {
  try {
    const token = sealer.open(account.sealedToken, boundTo(account));
    return sealer.seal(token, boundTo({ ...account, owner: { kind: "channel", channelId } }));
  } catch (error) {
    if (error instanceof SealError) return account.sealedToken;
    throw error;
  }
}

function namesChannel({ where, end }: Rule, channelId: string): boolean {
  return where?.includes(channelId) === true || (end.kind === "approve" && end.terms.cardIn === channelId);
}
