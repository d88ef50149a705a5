import { sentences } from "../../views/messages/sentences.ts";
import type { Origin } from "../../workflow/origin.ts";
import { codeOf } from "../send/slack-error.ts";
import type { Shell } from "../../workflow/shell.ts";

type Opening = { readonly triggerId: string; readonly view: object; readonly origin: Origin };

/**
 * Opens a form while its trigger lives (3 s, once), and gives its id; where that is over, the person is told how to ask
 * again.
 */
export async function openForm(shell: Shell, { triggerId, view, origin }: Opening): Promise<string | undefined> {
  try {
    const opened = await shell.clients.interactive.views.open({ trigger_id: triggerId, view: view as View }); // built by views/, checked by the simulated Slack
    return opened.view?.id;
  } catch (err) {
    shell.log.warn({ err: codeOf(err) }, "a form could not be opened");
    await shell.poster.tell(sentences.noForm(shell.settings.command), origin);
    return undefined;
  }
}

type View = Parameters<Shell["clients"]["interactive"]["views"]["open"]>[0]["view"];

/** Draws a form that is open anew. False: it was closed meanwhile, or Slack did not take it. */
export async function updateForm(shell: Shell, viewId: string, view: object): Promise<boolean> {
  try {
    await shell.clients.background.views.update({ view_id: viewId, view: view as View }); // built by views/
    return true;
  } catch (err) {
    shell.log.warn({ err: codeOf(err) }, "a form could not be updated");
    return false;
  }
}

/**
 * The ack of a submission draws the form, too, on another way to Slack: what comes right after it could be drawn before
 * it, and the form would go on saying that it asks.
 */
const AFTER_ACK_MS = 300;

/** `updateForm` of a form whose submission was acked with a view, at `ackedAt` of the process's clock in milliseconds. */
export async function updateAcked(
  shell: Shell,
  viewId: string,
  { view, ackedAt }: { readonly view: object; readonly ackedAt: number },
): Promise<boolean> {
  const early = AFTER_ACK_MS - (performance.now() - ackedAt);
  if (early > 0) await shell.wait(early);
  return updateForm(shell, viewId, view);
}
