import { sentences } from "../../views/messages/sentences.ts";
import type { Origin } from "../../workflow/origin.ts";
import { isTemporary, reasonFor } from "../send/slack-error.ts";
import type { Shell } from "../../workflow/shell.ts";

type Opening = { readonly triggerId: string; readonly view: object; readonly origin: Origin };

/** Opens a form while its trigger lives (3 s, once), and gives its id. Undefined: the person was told how to ask again. */
export async function openForm(
  { messenger, responder, settings }: Pick<Shell, "messenger" | "responder" | "settings">,
  { triggerId, view, origin }: Opening,
): Promise<string | undefined> {
  const opened = await messenger.openView({ triggerId, user: origin.userId, view });
  if (opened.ok) return opened.value?.viewId;
  const { failure } = opened;
  const isLate = failure.kind === "gone" || isTemporary(failure);
  const why = isLate
    ? sentences.noForm(settings.command)
    : sentences.formRefused(reasonFor(failure), failure.reference);
  await responder.tell(why, origin);
  return undefined;
}

/**
 * Replaces an open form. False: it was closed, or Slack refused the view. A caller that must not overwrite somebody
 * else's update calls `messenger.updateView` with the `hash` it has read. Never rejects.
 */
export async function updateForm(
  { messenger }: Pick<Shell, "messenger">,
  viewId: string,
  view: object,
): Promise<boolean> {
  return (await messenger.updateView({ viewId, view })).ok;
}

/**
 * The ack of a submission also draws the form, on another connection: an update right after it could arrive first, and
 * the ack would then replace it.
 */
const AFTER_ACK_MS = 300;

/** `updateForm` of a form whose submission was acked with a view, at `ackedAt` of the process's clock in milliseconds. */
export async function updateAcked(
  deps: Pick<Shell, "messenger" | "wait">,
  viewId: string,
  { view, ackedAt }: { readonly view: object; readonly ackedAt: number },
): Promise<boolean> {
  const early = AFTER_ACK_MS - (performance.now() - ackedAt);
  if (early > 0) await deps.wait(early);
  return updateForm(deps, viewId, view);
}
