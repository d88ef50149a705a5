import { Problem } from "../../api/problem.ts";
import type { FormFacts, FormValues } from "../../commands/forms/form.ts";
import { refusedForm } from "../../commands/lookup/authorize.ts";
import { UserError } from "../../errors.ts";
import { section } from "../../views/kit/blocks.ts";
import { endView, skeletonView } from "../../views/forms/form-states.ts";
import type { Post } from "../../views/kit/message.ts";
import { refusalMessage } from "../../views/messages/refusal-message.ts";
import { contextFor } from "../../workflow/access/context.ts";
import { drawForm, type OpenedForm } from "./draw-form.ts";
import { digest, newMetadata } from "./form-metadata.ts";
import { type FormCommand } from "../../commands/grammar/parse.ts";
import { openForm, updateForm } from "./update-view.ts";
import type { Origin } from "../../workflow/origin.ts";
import { recordRefusal } from "../../workflow/record-refusal.ts";
import type { Shell } from "../../workflow/shell.ts";

export type Opening = {
  readonly command: FormCommand;
  readonly values: FormValues;
  readonly origin: Origin;
  readonly triggerId: string;
};

/**
 * Opens the form of a verb while its trigger lives. What has to be read for it comes after: the form stands there at
 * once, however slow the service is.
 */
export async function openVerbForm(shell: Shell, { command, values, origin, triggerId }: Opening): Promise<void> {
  const { like, ...shown } = values;
  const metadata = { ...newMetadata(command, origin), ...(like !== undefined && { like }) };
  const opened: OpenedForm = { command, values: shown, metadata };
  const view = reads(opened)
    ? skeletonView({ title: command.form.title, sentence: `Reading ${like ?? shown["name"] ?? "the service"}…` })
    : drawForm(opened, { fresh: new Set(Object.keys(shown)) });
  const viewId = await openForm(shell, { triggerId, view, origin });
  if (viewId === undefined) return;
  if (reads(opened)) fillLater(shell, { ...opened, viewId, isNew: true });
  else refuseLater(shell, { ...opened, viewId, isNew: true });
}

/** A form that reads nothing stays unchanged, unless policy refuses every request it could make. */
function refuseLater(shell: Shell, opened: Filling): void {
  const { effect, actions } = opened.command;
  if (effect === "read" || actions.length === 0) return;
  shell.lanes.add({ lane: "people", owner: opened.metadata.origin.userId }, async (signal) => {
    const read = await factsFor(shell, opened, { signal, isLooking: false });
    if (read.kind === "refused") await end(shell, opened, read.post);
  });
}

/** Whether there is something to read for it: about the workload that is chosen, or the one to be like. */
export function reads({ command, values, metadata }: OpenedForm): boolean {
  const { form } = command;
  if (form.prefill === undefined) return false;
  if (metadata.like !== undefined) return true;
  const isChosen = form.fields(values).some(({ id, input }) => id === "name" && input.kind === "workload");
  return isChosen && values["name"] !== undefined;
}

type Filling = OpenedForm & {
  readonly viewId: string;
  /** Nobody has typed anything into it yet. */
  readonly isNew?: boolean;
};

/** Reads what the form shows, and draws it with that; without, where it cannot be read. */
export function fillLater(shell: Shell, filling: Filling): void {
  const job = { lane: "people", owner: filling.metadata.origin.userId } as const; // a lane's name
  const isTaken = shell.lanes.add(job, (signal) => fill(shell, filling, signal));
  if (!isTaken) void shell.lanes.track(updateForm(shell, filling.viewId, drawForm(filling, {})));
}

async function fill(shell: Shell, filling: Filling, signal: AbortSignal): Promise<void> {
  const { viewId } = filling;
  const read = await factsFor(shell, filling, { signal, isLooking: true });
  if (read.kind === "refused") return end(shell, filling, read.post);
  const full = withFacts(filling, read.facts.values);
  const fresh = new Set(Object.keys(filling.isNew === true ? full.values : read.facts.values));
  await updateForm(shell, viewId, drawForm(full, { notes: read.facts.notes, above: read.above, fresh }));
}

/** What somebody has typed meanwhile may be for another workload: it stays. */
async function end(shell: Shell, filling: Filling, post: Post): Promise<void> {
  const { command, viewId, isNew = false } = filling;
  const view = isNew ? endView({ title: command.form.title, post }) : drawForm(filling, { above: post.blocks });
  await updateForm(shell, viewId, view);
}

/** What was read takes the place of nothing, and of what was read before; never of what somebody typed. */
function withFacts(opened: OpenedForm, facts: FormValues): OpenedForm {
  const { values, metadata } = opened;
  const isTyped = (id: string): boolean => {
    const value = values[id];
    return value !== undefined && metadata.filled[id] !== digest(value);
  };
  const news = Object.entries(facts).filter(([id, value]) => !isTyped(id) && values[id] !== value);
  const generations = news.map(([id]) => [id, (metadata.generations[id] ?? 0) + 1] as const);
  const filled = news.map(([id, value]) => [id, digest(value)] as const);
  return {
    ...opened,
    values: { ...values, ...Object.fromEntries(news) },
    metadata: {
      ...metadata,
      generations: { ...metadata.generations, ...Object.fromEntries(generations) },
      filled: { ...metadata.filled, ...Object.fromEntries(filled) },
    },
  };
}

type Read =
  | { readonly kind: "refused"; readonly post: Post }
  | { readonly kind: "facts"; readonly facts: FormFacts; readonly above: readonly ReturnType<typeof section>[] };

const noFacts: FormFacts = { notes: [], values: {} };

type Reading = {
  readonly signal: AbortSignal;
  /** Whether to read the workload if policy allows it. */
  readonly isLooking: boolean;
};

async function factsFor(shell: Shell, filling: Filling, { signal, isLooking }: Reading): Promise<Read> {
  const { command, values, metadata, isNew = false } = filling;
  const { form, name: verb } = command;
  const { origin } = metadata;
  try {
    const context = await contextFor(shell, { origin, effect: "read" }, signal);
    // The channel is still to be chosen, and policy may differ there: submitting the form judges it.
    const refused = metadata.asksWhere ? undefined : await refusedForm(command, values, context);
    if (refused !== undefined) {
      const { asker: who, account } = context;
      // Choosing a workload in an open form is not a request yet.
      if (isNew) await recordRefusal(shell, { ...refused, verb, origin, who, account: account.username });
      const { refusal: verdict } = refused;
      return { kind: "refused", post: refusalMessage({ kind: "policy", verdict, command: shell.settings.command }) };
    }
    if (!isLooking) return { kind: "facts", facts: noFacts, above: [] };
    const asked = metadata.like === undefined ? values : { ...values, like: metadata.like };
    const facts = (await form.prefill?.(asked, values["region"], context)) ?? noFacts;
    return { kind: "facts", facts, above: [] };
  } catch (error) {
    return { kind: "facts", facts: noFacts, above: [section(`⚠️ ${whyNotRead(shell, error)}`)] };
  }
}

/** The form stands there all the same: what was typed into it is worth more than what could not be read. */
function whyNotRead({ log, newReference }: Shell, error: unknown): string {
  if (error instanceof UserError) return [error.message, error.next].filter(Boolean).join(" ");
  if (error instanceof Problem)
    return `${error.sentence} So what is now is not shown here; you can go on all the same.`;
  const reference = newReference();
  log.error({ err: error, reference }, "what a form shows could not be read");
  return `Something broke in Gantry, so what is now is not shown here. Reference ${reference}.`;
}
