import type { WorkspaceParts } from "../parts.ts";
import { context } from "../../views/kit/blocks.ts";
import { endView, placedInForm } from "../../views/forms/modal.ts";
import { drawForm, withChoiceShown } from "./draw-form.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import type { Origin } from "../../workflow/origin.ts";
import { createReply } from "../../workflow/reply.ts";
import type { Answering } from "../../workflow/inbox/interaction.ts";
import { SentForm } from "./form-metadata.ts";
import { afterAck, type Drawn, drawView } from "./update-view.ts";

type Stored = { readonly form: unknown; readonly origin: Origin };

/**
 * Answers in the form that was sent: a refusal above everything that was typed, or the outcome in its place, or a question,
 * whose buttons are in a message. People who
 * closed it in the meantime are answered where they asked.
 */
export function createFormReply(
  deps: Pick<WorkspaceParts, "clock" | "messenger" | "responder" | "settings">,
  { form: stored, origin }: Stored,
): Answering {
  const beside = createReply(deps.responder, origin);
  const form = SentForm.safeParse(stored).data;
  const command = form === undefined ? undefined : formCommand(form.metadata.verb);
  if (form === undefined || command === undefined) return beside;
  const { title } = command.form;
  const { viewId, values } = form;
  const ackedAt = deps.clock.elapsedMs();
  const show = async (view: object): Promise<Drawn> => {
    await afterAck(deps, ackedAt);
    return drawView(deps.messenger, { viewId }, view);
  };
  const stillOpen = (): Parameters<typeof drawForm>[0] => {
    const { previewed: _previewed, ...rest } = form.metadata;
    // The person may have to fill in a rarer field: a reason, another channel.
    return withChoiceShown({ command, values, metadata: { ...rest, isMore: true } });
  };
  return {
    async send(post, how) {
      const blocks =
        how === "question" ? [...post.blocks, context("Answer it in the message where you asked.")] : post.blocks;
      const view = how === "refused" ? drawForm(stillOpen(), { above: blocks }) : endView({ title, post: { blocks } });
      // The end of a form has no buttons.
      if ((await show(view)).kind !== "drawn" || how === "question") await beside.send(post, how);
    },
    async requested(change) {
      const post = placedInForm({ change, defaultRegion: deps.settings.region });
      const drawn = await show(endView({ title, post }));
      // An open form would say for ever that the request is being sent. A closed one needs nothing.
      const isClosed = drawn.kind === "failed" && drawn.failure.kind === "gone";
      if (drawn.kind !== "drawn" && !isClosed) await beside.send(post, "done");
    },
    undelivered: beside.undelivered,
  };
}
