import { z } from "zod";
import type { WorkspaceParts } from "../parts.ts";
import { type FormValues, type FormFacts, noFacts } from "../../commands/forms/form.ts";
import { type FormCommand, formCommand } from "../../commands/grammar/parse.ts";
import { valuesFor, type Context } from "../../commands/command.ts";
import { workloadOfMenu } from "../../views/kit/ask-buttons.ts";
import type { Action } from "../../views/kit/action-id.ts";
import { jsonIn } from "../receive/payload.ts";
import { skeletonView, endView } from "../../views/forms/modal.ts";
import type { Origin } from "../../workflow/origin.ts";
import {
  drawForm,
  type OpenedForm,
  chosenName,
  readsFacts,
  filledForm,
  hiddenWhileReading,
  readingForm,
} from "./draw-form.ts";
import { newMetadata } from "./form-metadata.ts";
import { openForm, afterAck, drawFinal, type Drawn, drawView } from "./update-view.ts";
import { newReference } from "../../../platform/log.ts";
import { Problem } from "../../../api/problem.ts";
import { UserError } from "../../errors.ts";
import { section } from "../../views/kit/blocks.ts";
import type { Post } from "../../views/kit/post.ts";
import { refusalMessage, userErrorMessage } from "../../views/messages/error-messages.ts";
import { contextFor } from "../../workflow/access/context.ts";
import { formOutlook, unableTo } from "../../commands/lookup/authorize.ts";
import { recordRefusal } from "../../workflow/history.ts";

export type Opening = {
  readonly command: FormCommand;
  readonly values: FormValues;
  readonly origin: Origin;
  readonly triggerId: string;
};

/**
 * Opens a verb's form while the trigger is valid. Reads for the form come afterwards, so a slow workload API doesn't delay
 * it.
 */
export async function openVerbForm(
  deps: WorkspaceParts,
  { command, values, origin, triggerId }: Opening,
): Promise<void> {
  const { like, ...shown } = values;
  const metadata = { ...newMetadata(command, origin), ...(like !== undefined && { like }) };
  const opened: OpenedForm = { command, values: shown, metadata };
  const isFilled = readsFacts(opened) || command.form.prefillsAtOnce === true;
  const view = isFilled
    ? skeletonView({ title: command.form.title, sentence: `Loading ${chosenName(opened) ?? "the form"}…` })
    : drawForm(opened, { fresh: new Set(Object.keys(shown)) });
  const open = await openForm(deps, { triggerId, view, origin });
  if (open === undefined) return;
  const filling = { ...opened, version: { ...open, isCurrent: deps.openViews.changed(open.viewId) }, isNew: true };
  if (isFilled) fillLater(deps, filling);
  else refuseLater(deps, filling);
}

/** The value of a button that opens a form. */
const FormOpening = z.object({
  verb: z.string(),
  values: z.record(z.string(), z.string()).default({}),
  region: z.string().optional(),
  isAbout: z.boolean().default(false),
});

/** The form that a click opens, and its first values. Undefined for verbs that no longer exist. */
export function openingIn(
  action: Action & { readonly kind: "openForm" | "formMenu" },
  value: string,
  blockId = "",
): Pick<Opening, "command" | "values"> | undefined {
  if (action.kind === "formMenu") {
    // The chosen option is a verb; it is about the workload of the menu's row.
    const workload = workloadOfMenu(blockId);
    const command = formCommand(value);
    if (workload === undefined || command === undefined) return undefined;
    return { command, values: { ...valuesFor(command, workload.name), region: workload.region } };
  }
  const { verb, values = {}, region, isAbout } = FormOpening.safeParse(jsonIn(value)).data ?? {};
  const command = verb === undefined ? undefined : formCommand(verb);
  if (command === undefined) return undefined;
  const first = isAbout ? valuesFor(command, values["name"] ?? "") : values;
  return { command, values: { ...first, ...(region !== undefined && { region }) } };
}

/** The version of an open view that a person clicked in or submitted. */
export type ViewVersion = {
  readonly viewId: string;
  /** Undefined after an ack that drew the view: Slack doesn't return its hash. */
  readonly hash: string | undefined;
  /** False once this process has seen a newer click or submission in the view. */
  readonly isCurrent: () => boolean;
  /** When an ack with a view was sent, in milliseconds of the process's clock. */
  readonly ackedAt?: number;
};

type Filling = OpenedForm & {
  readonly version: ViewVersion;
  /** It was just opened, so nobody has typed anything into it. */
  readonly isNew?: boolean;
};

/** The form while it reads, without the fields that the read may fill. */
export function readingView(reading: OpenedForm): object {
  const above = [section(`⏳ Loading ${chosenName(reading) ?? "current values"}…`)];
  return drawForm(reading, { above, hidden: hiddenWhileReading(reading) });
}

/**
 * Shows that the form reads about the workload that was just chosen, then fills it. The first draw makes the choice known
 * in the view itself: a fill for an earlier choice, of any replica, has an outdated hash from then on and loses.
 */
export async function showChoice(deps: WorkspaceParts, opened: OpenedForm, version: ViewVersion): Promise<void> {
  const reading = readingForm(opened);
  const drawn = await drawNewest(deps, version, readingView(reading));
  if (!version.isCurrent() || drawn.kind === "superseded") return;
  // After a lost answer nobody knows which version the view has.
  fillLater(deps, { ...reading, version: { ...version, hash: drawn.hash } });
}

/** Draws the result of the newest click, even if the view was redrawn before the click arrived. */
export async function drawNewest(
  { messenger }: Pick<WorkspaceParts, "messenger">,
  version: ViewVersion,
  view: object,
): Promise<Drawn> {
  const { viewId, hash, isCurrent } = version;
  if (!isCurrent()) return { kind: "superseded" };
  const drawn = await drawView(messenger, { viewId, hash }, view);
  return drawn.kind === "superseded" && isCurrent() ? drawView(messenger, { viewId }, view) : drawn;
}

/** Reads the form's facts and draws it with them, or with the reason why they can't be read. */
export function fillLater(deps: WorkspaceParts, filling: Filling): void {
  const isTaken = deps.lanes.add({ lane: "people", owner: filling.metadata.origin.userId }, async (signal) => {
    const read = await factsFor(deps, filling, { signal, isReading: true });
    if (read.kind === "refused") return showRefusal(deps, filling, read.post);
    const { notes, values } = read.facts;
    const filled = filledForm(formOf(filling, read), read.facts);
    const fresh = new Set(Object.keys(filling.isNew === true ? filled.values : values));
    await drawRead(deps, filling, drawForm(filled, { notes, above: read.above, fresh }));
  });
  if (!isTaken) deps.lanes.background(drawRead(deps, filling, drawForm(filledForm(filling, noFacts), {})));
}

/** What it shows is of one account: it acts for this one, also if the person uses another by the time they send it. */
function formOf<Form extends OpenedForm>(form: Form, { account, needsReason }: Facts): Form {
  if (account === undefined) return { ...form, metadata: { ...form.metadata, needsReason } };
  const { origin, otherAccount: _before, ...metadata } = form.metadata;
  const other = account.isUsual ? {} : { otherAccount: account.username };
  const asked = { ...origin, account: account.username };
  return { ...form, metadata: { ...metadata, ...other, origin: asked, needsReason } };
}

/** A form that reads nothing stays as it is, unless policy refuses every request it could make. */
export function refuseLater(deps: WorkspaceParts, opened: Filling): void {
  const { effect, actions } = opened.command;
  if (effect === "read" || actions.length === 0) return;
  deps.lanes.add({ lane: "people", owner: opened.metadata.origin.userId }, async (signal) => {
    const read = await factsFor(deps, opened, { signal, isReading: false });
    if (read.kind === "refused") return showRefusal(deps, opened, read.post);
    const form = formOf(opened, read);
    const isNews = form.metadata.otherAccount !== undefined || read.needsReason;
    if (isNews) await drawRead(deps, opened, drawForm(form, {}));
  });
}

type Drawing = Pick<Filling, "version" | "command"> & { readonly metadata: Pick<Filling["metadata"], "origin"> };

/** Draws the form with what was read for it, or with its preview, unless the person has chosen something else since. */
export async function drawRead(
  deps: Pick<WorkspaceParts, "clock" | "messenger" | "responder">,
  { version, command, metadata }: Drawing,
  view: object,
): Promise<void> {
  const { viewId, hash, isCurrent, ackedAt } = version;
  if (ackedAt !== undefined) await afterAck(deps, ackedAt);
  if (!isCurrent()) return;
  await drawFinal(deps, { viewId, hash, title: command.form.title, origin: metadata.origin }, view);
}

/** Only a new form is replaced: in any other a person has typed something, maybe for another workload. */
async function showRefusal(
  deps: Pick<WorkspaceParts, "clock" | "messenger" | "responder">,
  filling: Filling,
  post: Post,
): Promise<void> {
  const { command, isNew = false } = filling;
  const view = isNew
    ? endView({ title: command.form.title, post })
    : drawForm(filledForm(filling, noFacts), { above: post.blocks });
  await drawRead(deps, filling, view);
}

type Facts = {
  readonly kind: "facts";
  readonly facts: FormFacts;
  readonly above: readonly ReturnType<typeof section>[];
  /** Undefined when there is none that this person can use. */
  readonly account?: Pick<Context["account"], "username" | "isUsual">;
  /** Policy asks for a reason, whatever else is filled in. */
  readonly needsReason: boolean;
};

type Read = { readonly kind: "refused"; readonly post: Post } | Facts;

type Reading = {
  readonly signal: AbortSignal;
  /** True: also reads the workload, if policy allows it. */
  readonly isReading: boolean;
};

async function factsFor(deps: WorkspaceParts, filling: Filling, { signal, isReading }: Reading): Promise<Read> {
  const { command, values, metadata, isNew = false } = filling;
  const { form, name: verb } = command;
  const { origin } = metadata;
  let known: Facts["account"];
  let needsReason = false;
  try {
    const context = await contextFor(deps, { origin, effect: "read" }, signal);
    // No channel is chosen yet, and policy may differ there: it is asked when the form is submitted.
    const outlook = metadata.asksWhere ? undefined : await formOutlook(command, values, context);
    if (outlook?.kind === "refused") {
      const { asker: who, account } = context;
      // Choosing a workload in an open form is not a request yet.
      if (isNew) await recordRefusal(deps, { ...outlook, verb, origin, who, account: account.username });
      const { refusal: verdict } = outlook;
      return { kind: "refused", post: refusalMessage({ kind: "policy", verdict, command: deps.settings.command }) };
    }
    const unable = isNew ? await unableTo(command, context) : undefined;
    if (unable !== undefined) return { kind: "refused", post: userErrorMessage(unable, deps.settings.command) };
    known = context.account;
    needsReason = outlook?.needsReason === true;
    if (!isReading) return { kind: "facts", facts: noFacts, above: [], account: known, needsReason };
    const asked = metadata.like === undefined ? values : { ...values, like: metadata.like };
    const facts = (await form.prefill?.(asked, values["region"], context)) ?? noFacts;
    return { kind: "facts", facts, above: [], account: known, needsReason };
  } catch (error) {
    const above = [section(`⚠️ ${whyNotRead(deps, error)}`)];
    return { kind: "facts", facts: noFacts, above, needsReason, ...(known !== undefined && { account: known }) };
  }
}

/** The form stays usable without the facts, so typed values aren't lost. */
function whyNotRead({ log }: Pick<WorkspaceParts, "log">, error: unknown): string {
  if (error instanceof UserError) return [error.message, error.next].filter(Boolean).join(" ");
  if (error instanceof Problem)
    return `${error.sentence} Current values aren't shown, but you can still use this form.`;
  const reference = newReference();
  log.error({ err: error, reference }, "the facts of a form could not be read");
  return `Couldn't load current values. You can still use this form. Reference \`${reference}\`.`;
}
