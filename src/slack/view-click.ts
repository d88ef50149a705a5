import { endView } from "../views/form-states.ts";
import type { Ack } from "./ack.ts";
import { drawForm, type OpenedForm } from "./form-draw.ts";
import { fillLater, reads } from "./form-open.ts";
import { openedIn } from "./form-submission.ts";
import { updateForm } from "./forms.ts";
import { sentences } from "./sentence.ts";
import type { Shell } from "./shell.ts";
import type { CarriedView } from "./view-state.ts";

type InView = { readonly view: CarriedView; readonly actionId: string; readonly blockId: string };

/**
 * Something was clicked or chosen in an open form: it is drawn anew with what belongs to that, and what was typed stays.
 * Nothing is done by it.
 */
export async function onViewClick(shell: Shell, { view, actionId, blockId }: InView, ack: Ack): Promise<void> {
  await ack();
  const opened = openedIn(view);
  if (opened === undefined) return retireForm(shell, view);
  if (actionId === "form:more") {
    const metadata = { ...opened.metadata, isMore: true };
    return redraw(shell, { ...opened, metadata }, view);
  }
  const isName = blockId.split("@")[0] === "name";
  if (isName && reads(opened)) return fillLater(shell, { ...opened, viewId: view.id });
  return redraw(shell, opened, view);
}

/** A form of another version of Gantry. */
async function retireForm(shell: Shell, { id }: CarriedView): Promise<void> {
  const post = sentences.unknownForm(shell.settings.command);
  await shell.inflight.track(updateForm(shell, id, endView({ title: "Gantry", post })));
}

/** A preview that does not stand there any more is none. */
async function redraw(shell: Shell, opened: OpenedForm, { id }: CarriedView): Promise<void> {
  const { previewed: _previewed, ...metadata } = opened.metadata;
  await shell.inflight.track(updateForm(shell, id, drawForm({ ...opened, metadata }, {})));
}
