import { endView } from "../../views/forms/form-states.ts";
import type { Ack } from "../receive/ack.ts";
import { drawForm, type OpenedForm } from "./draw-form.ts";
import { fillLater, reads } from "./open-form.ts";
import { openedIn } from "./form-submission.ts";
import { updateForm } from "./update-view.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../../workflow/shell.ts";
import type { CarriedView } from "../receive/view-payload.ts";

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
  await shell.lanes.track(updateForm(shell, id, endView({ title: "Gantry", post })));
}

/** A preview that does not stand there any more is none. */
async function redraw(shell: Shell, opened: OpenedForm, { id }: CarriedView): Promise<void> {
  const { previewed: _previewed, ...metadata } = opened.metadata;
  await shell.lanes.track(updateForm(shell, id, drawForm({ ...opened, metadata }, {})));
}
