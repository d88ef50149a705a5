import type { WorkspaceParts } from "../parts.ts";
import { section } from "../../views/kit/blocks.ts";
import { blockOf, valuesIn } from "../../views/forms/form-element.ts";
import type { Post } from "../../views/kit/post.ts";
import type { Ack } from "../receive/transport.ts";
import { dispatch } from "../../workflow/receive/dispatch.ts";
import { drawForm, type OpenedForm, mustReadFirst, readingForm, isOutdated, readsFacts } from "./draw-form.ts";
import { fillLater, readingView, type ViewVersion, drawNewest, showChoice } from "./open-form.ts";
import { FormMetadata, valuesDigest } from "./form-metadata.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import { previewLater } from "./form-outcome.ts";
import type { Origin } from "../../workflow/origin.ts";
import { type CarriedView, jsonIn } from "../receive/payload.ts";
import { within } from "../../../platform/waiting.ts";
import type { Ask } from "../../ask.ts";
import type { Context, ReadCommand } from "../../commands/command.ts";
import { regionOf, Target } from "../../commands/grammar/argument-types.ts";
import { refusedRead } from "../../commands/lookup/authorize.ts";
import { findWorkload } from "../../commands/lookup/find.ts";
import { ReadRefused } from "../../commands/lookup/may-see.ts";
import { Problem } from "../../../api/problem.ts";
import { UserError } from "../../errors.ts";
import { checkChosen, contextFor } from "../../workflow/access/context.ts";
import type { Action } from "../../views/kit/action-id.ts";
import { endView } from "../../views/forms/modal.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { updateForm } from "./update-view.ts";

/** The form in an open view; undefined when this version does not know its verb. */
export function openedIn(view: CarriedView): OpenedForm | undefined {
  const metadata = FormMetadata.safeParse(jsonIn(view.private_metadata)).data;
  const command = metadata === undefined ? undefined : formCommand(metadata.verb);
  if (metadata === undefined || command === undefined) return undefined;
  return { command, metadata, values: valuesIn(view.state.values) };
}

type SubmittedForm = {
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
export async function onForm(deps: WorkspaceParts, sent: SubmittedForm, ack: Ack): Promise<void> {
  const { opened, view, id, userId } = sent;
  const { command, metadata, values } = opened;
  // Submitted twice: the first one counts.
  if (metadata.isSent === true) return ack(update(asking(opened)));
  const isCurrent = deps.openViews.changed(view.id);
  if (mustReadFirst(opened)) {
    const reading = readingForm(opened);
    await ack(update(readingView(reading)));
    return fillLater(deps, { ...reading, version: versionAfterAck(deps, view, isCurrent) });
  }
  // The chosen channel becomes the request's origin; it isn't an argument of the verb.
  const { channel: _channel, ...args } = values;
  const filled = command.form.fill(args);
  if (filled.kind === "errors") return ack({ response_action: "errors", errors: under(filled.errors, view) });
  if (command.form.hasPreview === true && metadata.previewed !== valuesDigest(values)) {
    await ack(update(drawForm(opened, { above: [section("⏳ Preparing the preview…")] })));
    const version = versionAfterAck(deps, view, isCurrent);
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

function versionAfterAck(
  { clock }: Pick<WorkspaceParts, "clock">,
  { id: viewId }: CarriedView,
  isCurrent: () => boolean,
): ViewVersion {
  return { viewId, hash: undefined, isCurrent, ackedAt: clock.elapsedMs() };
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

/** The asker is the person who sent the form, whatever its metadata say. */
function originIn({ metadata, values }: OpenedForm, userId: string): Origin {
  const origin = { ...metadata.origin, userId };
  const chosen = values["channel"];
  if (!metadata.asksWhere || chosen === undefined) return origin;
  const { teamId, account } = origin;
  return { userId, teamId, channelId: chosen, isChosen: true, ...(account !== undefined && { account }) };
}

/** Slack takes errors only for blocks of the view, so an error without a field goes below the first one. */
function under(errors: Readonly<Record<string, string>>, view: CarriedView): Record<string, string> {
  const blocks = Object.keys(view.state.values);
  const all = Object.entries(errors).map(([id, why]) => [blockOf(id, blocks) ?? blocks[0] ?? id, why] as const);
  return Object.fromEntries(all);
}

type Choice = { readonly command: ReadCommand; readonly ask: Ask; readonly origin: Origin };
type Errors = Readonly<Record<string, string>>;

/** Slack gives the ack three seconds, and only the ack can show an error under a field. */
const WITHIN_MS = 1_500;

/**
 * What is wrong with the channel or the workload that a read's form names, by field; nothing when that can't be told in
 * time. The form would otherwise close, and the typed name be lost.
 */
export async function wrongChoices(deps: WorkspaceParts, choice: Choice): Promise<Errors> {
  const control = new AbortController();
  const wrong = await within(WITHIN_MS, look(deps, choice, control.signal), (): Errors => ({}), deps.clock);
  control.abort();
  return wrong;
}

/** Anything else that fails is told by the answer itself. */
async function look(deps: WorkspaceParts, choice: Choice, signal: AbortSignal): Promise<Errors> {
  const channel = await whyNot(() => checkChosen(deps.people, choice.origin));
  if (channel !== undefined) return { channel };
  try {
    const context = await contextFor(deps, { origin: choice.origin, effect: "read" }, signal);
    const name = await wrongName(choice, context);
    return name === undefined ? {} : { name };
  } catch {
    return {};
  }
}

async function wrongName({ command, ask }: Choice, context: Context): Promise<string | undefined> {
  const { actions } = command;
  const target = Target.safeParse(ask.args["name"]).data;
  if (target === undefined || actions.length === 0) return undefined;
  const region = ask.region ?? context.settings.region;
  if (isListed(target, region, context) || (await refusedRead(command, ask, context)) !== undefined) return undefined;
  return whyNot(() => findWorkload(target, { ...context, ask, actions, sends: [], region }));
}

/** The picker has just read the lists, so a name from it costs no call. */
function isListed({ kind, name }: Target, region: string, { directory, account, settings }: Context): boolean {
  if (kind === undefined) return false;
  return directory.names(account.username, kind, regionOf(kind, region, settings))?.includes(name) === true;
}

async function whyNot(check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof Problem || error instanceof ReadRefused) return undefined;
    if (error instanceof UserError) return [error.message, error.next ?? ""].join(" ").replaceAll("`", "").trim();
    throw error;
  }
}

type FormClick = {
  readonly view: CarriedView;
  readonly action: Action | undefined;
  readonly blockId: string;
  readonly actionTs: string;
};

/** A click or choice in an open form redraws it with the typed values, and does nothing else. */
export async function onViewClick(
  deps: WorkspaceParts,
  { view, action, blockId, actionTs }: FormClick,
  ack: Ack,
): Promise<void> {
  const isCurrent = deps.openViews.changed(view.id, actionTs);
  await ack();
  const opened = openedIn(view);
  if (opened === undefined) {
    // A form from another version of Gantry.
    const post = sentences.unknownForm(deps.settings.command);
    await deps.lanes.track(updateForm(deps.messenger, view.id, endView({ title: "Gantry", post })));
    return undefined;
  }
  // The outcome will replace the form.
  if (opened.metadata.isSent === true) return undefined;
  const version = { viewId: view.id, hash: view.hash, isCurrent };
  const next = action?.kind === "moreSettings" ? { ...opened, metadata: { ...opened.metadata, isMore: true } } : opened;
  const isName = blockId.split("@")[0] === "name";
  if (isOutdated(next) || (isName && readsFacts(next))) return deps.lanes.track(showChoice(deps, next, version));
  // The preview may be outdated.
  const { previewed: _previewed, ...metadata } = next.metadata;
  await deps.lanes.track(drawNewest(deps, version, drawForm({ ...next, metadata }, {})));
}
