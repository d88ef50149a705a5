import type { NewHistoryEvent } from "../../changes/history-event.ts";
import { announcement } from "../post/announcement.ts";
import type { BindingWish } from "../../commands/command.ts";
import { type Binding, bindingInWords, type BindingTerms } from "../../policy/binding.ts";
import type { Rule } from "../../policy/policy.ts";
import type { Post } from "../../views/kit/post.ts";
import { useMessage } from "../../commands/verbs/use.ts";
import { checkChosen } from "../access/context.ts";
import { permissionsFor } from "../access/permissions.ts";
import type { Interaction, Reply } from "../inbox/interaction.ts";
import { failureMessage } from "../reply.ts";
import { logEvent, originEvent, refusedWrite } from "../history.ts";
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
  const { command, region: defaultRegion } = deps.settings;
  if (isDirect(channelId)) return reply.send(useMessage({ kind: "direct", command }), "refused");
  await checkChosen(deps.people, origin);
  const wish: BindingWish = terms === undefined ? { kind: "clear" } : { kind: "bind", terms };
  const [profile, before] = await Promise.all([
    deps.people.profile(userId, freshness.deciding),
    deps.store.bindingOf(teamId, channelId),
  ]);
  const permissions = permissionsFor(deps, { profile, channelId, account: undefined });
  const { verdict } = await bindingVerdict(wish, { binding: before, defaultRegion, asker: profile, permissions });
  if (verdict.kind === "refuse") {
    const attempt = { refusal: verdict, workload: undefined, verb: "use", origin, who: profile };
    return reply.send(await refusedWrite(deps, { ...attempt, account: terms?.account }), "refused");
  }
  if (verdict.kind !== "allow") throw new Error(`a binding can't wait, but the policy says ${verdict.kind}`);
  const { message, nothing, write, ...happened } = deedOf(deps, { origin, profile, terms, before });
  const announced = announcement(channelId, { by: userId, names: "no workload", post: message });
  const about = { ...happened, verb: "use", account: terms?.account, announcement: announced };
  const event = originEvent(origin, profile, about);
  // Cached bindings are dropped either way.
  if (!(await write(event).finally(deps.accounts.forget))) return reply.send(nothing, "done");
  logEvent(deps, event);
  // The person reads it in the channel, with everybody else.
  if (!(await deps.deliver(announced, teamId))) await reply.send(message, "done");
}

type BindingRequest = {
  readonly origin: Origin;
  readonly profile: Profile;
  readonly terms: BindingTerms | undefined;
  readonly before: Binding | undefined;
};

type Deed = {
  readonly kind: "bound" | "unbound";
  readonly result: string;
  readonly message: Post;
  /** Where there is nothing to change. */
  readonly nothing: Post;
  readonly write: (event: NewHistoryEvent) => Promise<boolean>;
};

function deedOf({ store, settings }: WorkflowParts, { origin, profile, terms, before }: BindingRequest): Deed {
  const { teamId, channelId } = origin;
  const { command, regions } = settings;
  const { userId, name: by } = profile;
  if (terms === undefined) {
    return {
      kind: "unbound",
      result: before === undefined ? "" : `was: ${bindingInWords(before)}`,
      message: useMessage({ kind: "unbound", by, channelId, command }),
      nothing: useMessage({ kind: "nothing", channelId, command }),
      write: (event) => store.unbind({ teamId, channelId }, event),
    };
  }
  const said = { by, terms, regions, channelId, command };
  return {
    kind: "bound",
    result: bindingInWords(terms),
    message: useMessage({ kind: "bound", ...said }),
    nothing: useMessage({ kind: "same", ...said }),
    write: (event) => store.bind({ teamId, channelId }, { ...terms, boundBy: { userId, name: by } }, event),
  };
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
