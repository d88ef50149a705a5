import { restUnlessAborted } from "../../platform/waiting.ts";
import type { Logger } from "pino";
import { z } from "zod";
import type { OpenAccount } from "../accounts/account.ts";
import { type Sealer, SealError } from "../accounts/seal.ts";
import type { Api } from "../../api/client.ts";
import { Change } from "../changes/change.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { Ask } from "../ask.ts";
import { UserError } from "../errors.ts";
import type { CallsInUse } from "./access/call-counts.ts";
import type { Accounts, Clock } from "./ports.ts";

/** The sealed part of a stored Change: the Call with its body, the words it came from, and where to answer. */
const Content = z.object({
  /** Undefined for several workloads: each part has its own. */
  change: Change.optional(),
  ask: Ask,
  /** Works for half an hour; the answer goes there when the bot can't post in the channel. */
  responseUrl: z.string().optional(),
  /** The thread of the request, and so of its card. */
  threadTs: z.string().optional(),
});
export type Content = z.infer<typeof Content>;

/** Throws when the request is about several workloads: it is never sent itself, but its parts are. */
export function changeIn({ change }: Pick<Content, "change">): Change {
  if (change === undefined) throw new Error("a request for several workloads was taken for one of its parts");
  return change;
}

export function sealContent(sealer: Sealer, id: string, content: Content): string {
  return sealer.seal(JSON.stringify(content), ["change", id]);
}

/** The call that was approved is the call that is sent. Throws a `SealError` when the key is gone or the row was swapped. */
function openContent(sealer: Sealer, { id, sealed }: Pick<StoredChange, "id" | "sealed">): Content {
  return Content.parse(JSON.parse(sealer.open(sealed, ["change", id])));
}

/** Undefined when it can't be opened, or another version of Gantry wrote it: for what can do without. */
export function contentOf(sealer: Sealer, change: Pick<StoredChange, "id" | "sealed">): Content | undefined {
  try {
    return openContent(sealer, change);
  } catch {
    return undefined;
  }
}

/** A stored request with its content opened and its account resolved. */
export type OpenRequest = { readonly content: Content; readonly account: OpenAccount };

export type OpenDeps = {
  readonly accounts: Pick<Accounts, "again">;
  readonly calls: CallsInUse;
  readonly sealer: Sealer;
  readonly log: Logger;
};

/** Throws a `UserError` when its content can't be opened or its account can't be used: retrying won't help. */
export async function openRequest(deps: OpenDeps, change: StoredChange): Promise<OpenRequest> {
  const content = readableContent(deps, change);
  const { teamId, requester, channelId } = change;
  const account = await deps.accounts.again(change.account, { teamId, userId: requester.userId, channelId });
  deps.calls.uses(account.username);
  return { content, account };
}

function readableContent({ sealer, log }: OpenDeps, change: StoredChange): Content {
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

export type ApiDeps = { readonly api: Pick<Api, "as">; readonly clock: Pick<Clock, "wait"> };

/** Reads and sends with the account of a request, until the bot has to stop. */
export function apiFor({ api, clock }: ApiDeps, { account }: Pick<OpenRequest, "account">, signal: AbortSignal) {
  return { api: api.as(account), signal, wait: (ms: number) => waitUnless(clock, signal, ms) };
}

/** A wait that ends early when the bot has to stop. */
async function waitUnless({ wait }: Pick<Clock, "wait">, signal: AbortSignal, ms: number): Promise<void> {
  if (!signal.aborted) await restUnlessAborted(wait(ms), signal);
}
