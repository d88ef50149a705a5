import type { FormValues } from "../../commands/forms/form.ts";
import { section } from "../../views/kit/blocks.ts";
import { blockOf, valuesIn } from "../../views/forms/form-values.ts";
import type { Post } from "../../views/kit/message.ts";
import type { Ack } from "../receive/ack.ts";
import { shareInThread } from "../receive/share-in-thread.ts";
import { dispatch } from "../../workflow/dispatch.ts";
import { drawForm, type OpenedForm } from "./draw-form.ts";
import { FormMetadata, valuesDigest } from "./form-metadata.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import { previewLater } from "./form-preview.ts";
import { jsonIn } from "../receive/json-in.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Shell } from "../../workflow/shell.ts";
import type { CarriedView } from "../receive/view-payload.ts";

/** The form of a verb as it stands before somebody; undefined for one that this version does not know. */
export function openedIn(view: CarriedView): OpenedForm | undefined {
  const metadata = FormMetadata.safeParse(jsonIn(view.private_metadata)).data;
  const command = metadata === undefined ? undefined : formCommand(metadata.verb);
  if (metadata === undefined || command === undefined) return undefined;
  return { command, metadata, values: valuesIn(view.state.values) };
}

type Sent = {
  /** What Slack calls this submission. */
  readonly id: string;
  readonly userId: string;
  readonly view: CarriedView;
  readonly opened: OpenedForm;
};

/**
 * A form that was sent: the same Ask as by words, on the same way. What is wrong is said under its field, and nothing
 * that was typed is lost.
 */
export async function onForm(shell: Shell, sent: Sent, ack: Ack): Promise<void> {
  const { opened, view, id, userId } = sent;
  const { command, metadata, values } = opened;
  // Somebody pressed it twice: once is what they mean.
  if (metadata.isSent === true) return ack(update(asking(opened)));
  const filled = command.form.fill(argumentsIn(values));
  if (filled.kind === "errors") return ack({ response_action: "errors", errors: under(filled.errors, view) });
  if (command.form.hasPreview === true && metadata.previewed !== valuesDigest(values)) {
    await ack(update(drawForm(opened, { above: [section("⏳ Looking what this would do…")] })));
    return previewLater(shell, { ...opened, viewId: view.id, ask: filled.ask, origin: placeIn(opened, userId) });
  }
  const origin = placeIn(opened, userId);
  const form = { viewId: view.id, metadata, values };
  const isAsked = command.effect === "write";
  const opens = async (next: object): Promise<void> => ack(update(next));
  return dispatch(
    shell,
    { command, ask: shareInThread(filled.ask, origin), origin, id, opens, ...(isAsked && { form }) },
    async (refusal) => {
      if (refusal !== undefined) return ack(stays(opened, refusal));
      return ack(isAsked ? update(asking(opened)) : undefined);
    },
  );
}

/** The form with what was typed, and above it why nothing was done. */
export function stays(opened: OpenedForm, { blocks }: Pick<Post, "blocks">): object {
  return update(drawForm(opened, { above: blocks }));
}

/** Until it is known how it went, the form stays with what was typed into it; sending it again does nothing. */
function asking(opened: OpenedForm): object {
  const metadata = { ...opened.metadata, isSent: true };
  return drawForm({ ...opened, metadata }, { above: [section("⏳ Asking for it…")], submit: "Asking…" });
}

function update(view: object): object {
  return { response_action: "update", view };
}

/** The channel is where it is asked, and no argument. */
function argumentsIn({ channel: _channel, ...values }: FormValues): FormValues {
  return values;
}

/** Whoever sends the form is who asks, whatever its metadata say; a channel that was chosen in it is where. */
function placeIn({ metadata, values }: OpenedForm, userId: string): Origin {
  const origin = { ...metadata.origin, userId };
  const chosen = values["channel"];
  if (!metadata.asksWhere || chosen === undefined) return origin;
  return { userId, teamId: origin.teamId, channelId: chosen, isChosen: true };
}

/** Slack takes errors only under blocks that are there; what belongs to no field stands under the first one. */
function under(errors: Readonly<Record<string, string>>, view: CarriedView): Record<string, string> {
  const blocks = Object.keys(view.state.values);
  const all = Object.entries(errors).map(([id, why]) => [blockOf(id, blocks) ?? blocks[0] ?? id, why] as const);
  return Object.fromEntries(all);
}
