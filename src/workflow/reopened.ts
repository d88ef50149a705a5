import type { OpenAccount } from "../accounts/account.ts";
import { SealError } from "../accounts/seal.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { UserError } from "../errors.ts";
import { pauseUnless } from "./pause.ts";
import { openChange, type SealedChange } from "./sealed-change.ts";
import type { Shell } from "./shell.ts";

/** A stored Change that somebody goes on with. */
export type OpenedChange = { readonly content: SealedChange; readonly account: OpenAccount };

/** Throws a `UserError` when it does not open any more, or its account cannot be used: nothing helps then. */
export async function reopened(shell: Shell, change: StoredChange): Promise<OpenedChange> {
  const content = openedContent(shell, change);
  const { teamId, requester, channelId } = change;
  const account = await shell.accounts.again(change.account, { teamId, userId: requester.userId, channelId });
  shell.calls.uses(account.username);
  return { content, account };
}

function openedContent({ sealer, log }: Shell, change: StoredChange): SealedChange {
  try {
    return openChange(sealer, change);
  } catch (err) {
    log.error({ err, changeId: change.id }, "a change does not open");
    const isKeyGone = err instanceof SealError && err.reason !== "damaged";
    const why = isKeyGone ? "the key that sealed it is gone" : "what is stored of it is damaged, or of another version";
    throw new UserError(`What was asked for cannot be read any more: ${why}.`, {
      next: "Ask for it again, and tell those who run Gantry here: their log says more.",
    });
  }
}

/** What reads and sends with its account, until the bot has to end. */
export function apiOf(shell: Shell, { account }: OpenedChange, signal: AbortSignal) {
  return { api: shell.api.as(account), signal, wait: (ms: number) => pauseUnless(shell, signal, ms) };
}
