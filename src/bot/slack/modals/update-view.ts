import type { Settings } from "../../commands/command.ts";
import { endView } from "../../views/forms/modal.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Responder, WorkflowClock } from "../../workflow/ports.ts";
import type { Messenger, OpenView } from "../send/messenger.ts";
import { isTemporary, reasonFor, type SlackFailure } from "../send/slack-error.ts";
import { boundedMap } from "../../../platform/bounded-map.ts";

// Opening and redrawing forms, and which interaction in an open one is the newest.

/** Opens a form with its trigger, valid once and for 3 s. Undefined: it didn't open, and the person got the reason. */
export async function openForm(
  {
    messenger,
    responder,
    settings,
  }: {
    readonly messenger: Pick<Messenger, "openView">;
    readonly responder: Pick<Responder, "tellPatiently">;
    readonly settings: Pick<Settings, "command">;
  },
  { triggerId, view, origin }: { readonly triggerId: string; readonly view: object; readonly origin: Origin },
): Promise<OpenView | undefined> {
  const opened = await messenger.openView({ triggerId, user: origin.userId, view });
  if (opened.ok) return opened.value;
  const { failure } = opened;
  const isLate = failure.kind === "gone" || (isTemporary(failure) && failure.kind !== "limited");
  const why = isLate
    ? sentences.noForm(settings.command)
    : sentences.formRefused(reasonFor(failure), failure.reference);
  await responder.tellPatiently(why, origin);
  return undefined;
}

/**
 * - `drawn`: Slack took it; `hash` is that of the view as it is now
 * - `superseded`: something else was drawn since the version that `hash` names
 * - `failed`: it was closed, Slack refused it, or its answer was lost
 */
export type Drawn =
  | { readonly kind: "drawn"; readonly hash: string | undefined }
  | { readonly kind: "superseded"; readonly hash?: undefined }
  | { readonly kind: "failed"; readonly failure: SlackFailure; readonly hash?: undefined };

type Version = { readonly viewId: string; readonly hash?: string | undefined };

/** Redraws an open form; with `hash` only if nothing else was drawn since that version. Never rejects. */
export async function drawView(
  messenger: Pick<Messenger, "updateView">,
  { viewId, hash }: Version,
  view: object,
): Promise<Drawn> {
  const updated = await messenger.updateView({ viewId, view, hash });
  if (updated.ok) return { kind: "drawn", hash: updated.value.hash };
  const { failure } = updated;
  return failure.kind === "superseded" ? { kind: "superseded" } : { kind: "failed", failure };
}

/**
 * Draws what a form was waiting for. When Slack doesn't take it, the form would wait for ever: it says why instead, or the
 * person is told beside it. Never rejects.
 */
export async function drawFinal(
  {
    messenger,
    responder,
  }: { readonly messenger: Pick<Messenger, "updateView">; readonly responder: Pick<Responder, "tellPatiently"> },
  { title, origin, ...version }: Version & { readonly title: string; readonly origin: Origin },
  view: object,
): Promise<void> {
  const drawn = await drawView(messenger, version, view);
  // A closed form needs nothing.
  if (drawn.kind !== "failed" || drawn.failure.kind === "gone") return;
  const { failure } = drawn;
  const post = sentences.formNotFilled(reasonFor(failure), failure.reference);
  const isRefused = !isTemporary(failure);
  if (isRefused && (await updateForm(messenger, version.viewId, endView({ title, post })))) return;
  await responder.tellPatiently(post, origin);
}

/** Redraws an open form, whatever its version. False: it was closed, or Slack refused the view. Never rejects. */
export async function updateForm(
  messenger: Pick<Messenger, "updateView">,
  viewId: string,
  view: object,
): Promise<boolean> {
  return (await drawView(messenger, { viewId }, view)).kind === "drawn";
}

/**
 * An ack that draws a form and a `views.update` reach Slack on different connections: an update right after the ack could
 * arrive first, and the ack would then replace it.
 */
const AFTER_ACK_MS = 300;

/** Waits until an ack with a view, sent at `ackedAt` by the clock's `elapsedMs`, has been drawn. */
export async function afterAck(
  { clock }: { readonly clock: Pick<WorkflowClock, "elapsedMs" | "wait"> },
  ackedAt: number,
): Promise<void> {
  const early = AFTER_ACK_MS - (clock.elapsedMs() - ackedAt);
  if (early > 0) await clock.wait(early);
}

export type OpenViews = {
  /**
   * Records a click or submission in a view. The result is true until this process sees a newer one. Clicks carry Slack's
   * `action_ts`, because two of them may arrive in the wrong order.
   */
  readonly changed: (viewId: string, actionTs?: string) => () => boolean;
};

type Newest = { readonly count: number; readonly actedAt: number };

const MOST = 5_000;

/**
 * The newest interaction in each open view, so that slow work for an earlier one is dropped early. Only this process knows
 * it: a click may reach another replica, so draws also carry the view's `hash`.
 */
export function createOpenViews(): OpenViews {
  const newest = boundedMap<string, Newest>(MOST);
  let counted = 0;
  return {
    changed(viewId, actionTs = "") {
      const before = newest.get(viewId);
      const actedAt = Number(actionTs) || (before?.actedAt ?? 0);
      if (before !== undefined && actedAt < before.actedAt) return () => false;
      counted += 1;
      const count = counted;
      newest.set(viewId, { count, actedAt });
      return () => (newest.get(viewId)?.count ?? count) === count;
    },
  };
}
