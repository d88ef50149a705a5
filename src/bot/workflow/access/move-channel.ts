import { boundTo, type LinkedAccount } from "../../accounts/resolve.ts";
import { type Sealer, SealError } from "../../accounts/seal.ts";
import type { Rule } from "../../policy/policy.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { WorkflowParts } from "../ports.ts";

type Move = { readonly teamId: string; readonly from: string; readonly to: string };

/**
 * A channel got another id: its binding, account and requests go with it. Policy rules that name the old id go on
 * applying, and the channel is told that the file is outdated.
 * Repeating it changes nothing. Throws a `StoreError`.
 */
export async function moveChannel(
  deps: Pick<WorkflowParts, "store" | "accounts" | "responder" | "policy" | "sealer" | "log">,
  move: Move,
): Promise<void> {
  const { accounts, responder, policy, log } = deps;
  await moveRows(deps, move).finally(accounts.forget);
  const { source, rules } = policy();
  const outdated = rules.filter((rule) => names(rule, move.from)).map(({ name }) => name);
  if (outdated.length === 0) return log.info(move, "a channel has another id");
  log.error({ ...move, source, rules: outdated }, "a channel has another id, and policy rules name the old one");
  await responder.announce(move.to, sentences.policyNamesOldId({ ...move, source, rules: outdated }));
}

/** The account is read before it is moved: somebody may connect another one in between. */
async function moveRows({ store, sealer }: Pick<WorkflowParts, "store" | "sealer">, move: Move): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1) {
    const { teamId, from, to } = move;
    const { channel } = await store.accountsFor({ teamId, userId: "", channelId: from });
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

function names({ where, end }: Rule, channelId: string): boolean {
  return where?.includes(channelId) === true || (end.kind === "approve" && end.terms.cardIn === channelId);
}
