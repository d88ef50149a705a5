import type { FormValues } from "../../commands/forms/form.ts";
import { section } from "../../views/kit/blocks.ts";
import { blockOf, valuesIn } from "../../views/forms/form-values.ts";
import type { Post } from "../../views/kit/message.ts";
import type { Ack } from "../receive/ack.ts";
import { dispatch } from "../../workflow/dispatch.ts";
import type { DepsOf } from "../deps-of.ts";
import { drawForm, type OpenedForm } from "./draw-form.ts";
import { fillLater, readingView, type ViewVersion } from "./fill-form.ts";
import { mustReadFirst, readingForm } from "./form-choice.ts";
import { FormMetadata, valuesDigest } from "./form-metadata.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import { previewLater } from "./form-preview.ts";
import type { Origin } from "../../workflow/origin.ts";
import { type CarriedView, jsonIn } from "../receive/view-payload.ts";
import type { VerbFormDeps } from "./open-form.ts";
import { wrongChoices } from "./check-choice.ts";

export type SubmissionDeps = VerbFormDeps & DepsOf<typeof dispatch>;

/** The form in an open view; undefined when this version does not know its verb. */
export function openedIn(view: CarriedView): OpenedForm | undefined {
  const metadata = FormMetadata.safeParse(jsonIn(view.private_metadata)).data;
  const command = metadata === undefined ? undefined : formCommand(metadata.verb);
  if (metadata === undefined || command === undefined) return undefined;
  return { command, metadata, values: valuesIn(view.state.values) };
}

type Sent = {
  /** Slack's id of this submission. */
  readonly id: string;
  readonly userId: string;
  readonly view: CarriedView;
  readonly opened: OpenedForm;
};

/**
 * A submitted form becomes the same Ask as words would, and goes the same way. Errors are shown below their fields, and
 * everything typed stays.
 */
export async function onForm(deps: SubmissionDeps, sent: Sent, ack: Ack): Promise<void> {
  const { opened, view, id, userId } = sent;
  const { command, metadata, values } = opened;
  // Submitted twice: the first one counts.
  if (metadata.isSent === true) return ack(update(asking(opened)));
  const isCurrent = deps.openViews.changed(view.id);
  if (mustReadFirst(opened)) {
    const reading = readingForm(opened);
    await ack(update(readingView(reading)));
    return fillLater(deps, { ...reading, version: versionAfterAck(view, isCurrent) });
  }
  const filled = command.form.fill(argumentsIn(values));
  if (filled.kind === "errors") return ack({ response_action: "errors", errors: under(filled.errors, view) });
  if (command.form.hasPreview === true && metadata.previewed !== valuesDigest(values)) {
    await ack(update(drawForm(opened, { above: [section("⏳ Preparing the preview…")] })));
    const version = versionAfterAck(view, isCurrent);
    return previewLater(deps, { ...opened, version, ask: filled.ask, origin: originIn(opened, userId) });
  }
  const origin = originIn(opened, userId);
  if (command.effect === "read") {
    const wrong = await wrongChoices(deps, { command, ask: filled.ask, origin });
    if (Object.keys(wrong).length > 0) return ack({ response_action: "errors", errors: under(wrong, view) });
  }
  const form = { viewId: view.id, metadata, values };
  const isAsked = command.effect === "write";
  const opens = async (next: object): Promise<void> => ack(update(next));
  return dispatch(deps, { command, ask: filled.ask, origin, id, opens, ...(isAsked && { form }) }, async (refusal) => {
    if (refusal !== undefined) return ack(stays(opened, refusal));
    return ack(isAsked ? update(asking(opened)) : undefined);
  });
}

function versionAfterAck({ id: viewId }: CarriedView, isCurrent: () => boolean): ViewVersion {
  return { viewId, hash: undefined, isCurrent, ackedAt: performance.now() };
}

/** The form as it was typed, with the reason above it why nothing was done. */
export function stays(opened: OpenedForm, { blocks }: Pick<Post, "blocks">): object {
  return update(drawForm(opened, { above: blocks }));
}

/** Until the outcome is known, the form keeps the typed values, and sending it again does nothing. */
function asking(opened: OpenedForm): object {
  const metadata = { ...opened.metadata, isSent: true };
  return drawForm({ ...opened, metadata }, { above: [section("⏳ Sending the request…")], submit: "Sending…" });
}

function update(view: object): object {
  return { response_action: "update", view };
}

/** The chosen channel becomes the request's origin; it isn't an argument of the verb. */
function argumentsIn({ channel: _channel, ...values }: FormValues): FormValues {
  return values;
}

/** The asker is the person who sent the form, whatever its metadata say. */
function originIn({ metadata, values }: OpenedForm, userId: string): Origin {
  const origin = { ...metadata.origin, userId };
  const chosen = values["channel"];
  if (!metadata.asksWhere || chosen === undefined) return origin;
  return { userId, teamId: origin.teamId, channelId: chosen, isChosen: true };
}

/** Slack takes errors only for blocks of the view, so an error without a field goes below the first one. */
function under(errors: Readonly<Record<string, string>>, view: CarriedView): Record<string, string> {
  const blocks = Object.keys(view.state.values);
  const all = Object.entries(errors).map(([id, why]) => [blockOf(id, blocks) ?? blocks[0] ?? id, why] as const);
  return Object.fromEntries(all);
}
