import type { Action } from "../../views/kit/action-id.ts";
import { endView } from "../../views/forms/form-states.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Ack } from "../receive/ack.ts";
import type { CarriedView } from "../receive/view-payload.ts";
import { drawForm, type OpenedForm } from "./draw-form.ts";
import { drawNewest, showChoice, type ViewVersion } from "./fill-form.ts";
import { isOutdated, readsFacts } from "./form-choice.ts";
import { openedIn } from "./form-submission.ts";
import type { VerbFormDeps } from "./open-form.ts";
import { updateForm } from "./update-view.ts";

type InView = {
  readonly view: CarriedView;
  readonly action: Action | undefined;
  readonly blockId: string;
  readonly actionTs: string;
};

/** A click or choice in an open form redraws it with the typed values, and does nothing else. */
export async function onViewClick(
  deps: VerbFormDeps,
  { view, action, blockId, actionTs }: InView,
  ack: Ack,
): Promise<void> {
  const isCurrent = deps.openViews.changed(view.id, actionTs);
  await ack();
  const opened = openedIn(view);
  if (opened === undefined) return retireForm(deps, view);
  // The outcome will replace the form.
  if (opened.metadata.isSent === true) return undefined;
  const version = { viewId: view.id, hash: view.hash, isCurrent };
  const next = action?.kind === "moreSettings" ? { ...opened, metadata: { ...opened.metadata, isMore: true } } : opened;
  const isName = blockId.split("@")[0] === "name";
  const mustRead = isOutdated(next) || (isName && readsFacts(next));
  return deps.lanes.track(mustRead ? showChoice(deps, next, version) : redraw(deps, next, version));
}

/** A form from another version of Gantry. */
async function retireForm(deps: VerbFormDeps, { id }: CarriedView): Promise<void> {
  const post = sentences.unknownForm(deps.settings.command);
  await deps.lanes.track(updateForm(deps, id, endView({ title: "Gantry", post })));
}

/** Removes the preview, which may be outdated. */
async function redraw(deps: VerbFormDeps, opened: OpenedForm, version: ViewVersion): Promise<void> {
  const { previewed: _previewed, ...metadata } = opened.metadata;
  await drawNewest(deps, version, drawForm({ ...opened, metadata }, {}));
}
