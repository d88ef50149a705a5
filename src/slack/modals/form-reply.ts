import { endView, placedInForm } from "../../views/forms/form-states.ts";
import type { SentForm } from "../../workflow/inbox/interaction.ts";
import { drawForm } from "./draw-form.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import { updateAcked } from "./update-view.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Shell } from "../../workflow/shell.ts";
import { createReply, type Reply } from "../../workflow/inbox/reply.ts";

type Asked = { readonly form: SentForm; readonly origin: Origin };

/**
 * Speaks in the form that was sent: what was refused stands over it, with all that was typed; how it went takes its
 * place. Whoever has closed it meanwhile is told where they asked.
 */
export function createFormReply(shell: Shell, { form, origin }: Asked): Reply {
  const beside = createReply(shell.responder, origin);
  const command = formCommand(form.metadata.verb);
  if (command === undefined) return beside;
  const { title } = command.form;
  const { viewId, values } = form;
  const ackedAt = performance.now();
  return {
    async send(post, how) {
      // Whoever has to mend something may have to fill in a rarer field: a reason, another channel.
      const { previewed: _previewed, ...rest } = form.metadata;
      const metadata = { ...rest, isMore: true };
      const view =
        how === "done" ? endView({ title, post }) : drawForm({ command, values, metadata }, { above: post.blocks });
      if (!(await updateAcked(shell, viewId, { view, ackedAt }))) await beside.send(post, how);
    },
    async placed(change) {
      const post = placedInForm({ change, defaultRegion: shell.settings.region });
      await updateAcked(shell, viewId, { view: endView({ title, post }), ackedAt });
    },
    undelivered: beside.undelivered,
  };
}
