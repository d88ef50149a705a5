import { sentences } from "./sentence.ts";
import type { Place } from "./place.ts";
import { codeOf } from "./slack-error.ts";
import type { Shell } from "./shell.ts";

type Opening = { readonly triggerId: string; readonly view: object; readonly place: Place };

/**
 * Opens a form while its trigger lives (3 s, once), and gives its id; where that is over, the person is told how to ask
 * again.
 */
export async function openForm(shell: Shell, { triggerId, view, place }: Opening): Promise<string | undefined> {
  try {
    const opened = await shell.clients.interactive.views.open({ trigger_id: triggerId, view: view as View }); // built by views/, checked by the simulated Slack
    return opened.view?.id;
  } catch (err) {
    shell.log.warn({ err: codeOf(err) }, "a form could not be opened");
    await shell.poster.tell(sentences.noForm(shell.settings.command), place);
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
