import { restUnlessAborted } from "../../platform/waiting.ts";
import type { OpenAccount } from "../accounts/resolve.ts";
import { SealError } from "../accounts/seal.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { UserError } from "../errors.ts";
import type { WorkflowParts } from "./ports.ts";
import { type Content, isErased, openContent } from "./stored-request.ts";

/** A stored request with its content opened and its account resolved. */
export type OpenRequest = { readonly content: Content; readonly account: OpenAccount };

/** Throws a `UserError` when its content can't be opened or its account can't be used: retrying won't help. */
export async function openRequest(deps: WorkflowParts, change: StoredChange): Promise<OpenRequest> {
  const content = readableContent(deps, change);
  const { teamId, requester, channelId } = change;
  const account = await deps.accounts.reopen(change.account, { teamId, userId: requester.userId, channelId });
  return { content, account };
}

/** Throws a `UserError` when its content can't be opened: retrying won't help. */
export function readableContent({ sealer, log }: WorkflowParts, change: StoredChange): Content {
  // Nothing is broken, so nothing is logged.
  if (isErased(change)) throw new UserError("What the request asked for was erased.", { next: "Request it again." });
  try {
    return openContent(sealer, change);
  } catch (err) {
    log.error({ err, changeId: change.id }, "a change does not open");
    const isKeyGone = err instanceof SealError && err.reason !== "damaged";
    const why = isKeyGone ? "its encryption key is gone" : "it is damaged, or from another version of Gantry";
    throw new UserError(`The stored request can't be opened: ${why}.`, {
      next: "Request it again, and tell your Gantry admin: the log says more.",
    });
  }
}

/** Reads and sends with the account of a request, until the bot has to stop. */
export function apiFor({ api, clock }: WorkflowParts, { account }: Pick<OpenRequest, "account">, signal: AbortSignal) {
  const wait = async (ms: number): Promise<void> => {
    if (!signal.aborted) await restUnlessAborted(clock.wait(ms), signal);
  };
  return { api: api.as(account), signal, wait };
}
