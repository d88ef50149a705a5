import { endView } from "../views/form-states.ts";
import { placedInForm } from "../views/placed-in-form.ts";
import type { SentForm } from "./deed.ts";
import { drawForm } from "./form-draw.ts";
import { formCommand } from "./form-metadata.ts";
import { updateAcked } from "./forms.ts";
import type { Place } from "./place.ts";
import type { Shell } from "./shell.ts";
import { createTelling, type Telling } from "./telling.ts";

type Asked = { readonly form: SentForm; readonly place: Place };

/**
 * Speaks in the form that was sent: what was refused stands over it, with all that was typed; how it went takes its
 * place. Whoever has closed it meanwhile is told where they asked.
 */
export function createFormTelling(shell: Shell, { form, place }: Asked): Telling {
  const beside = createTelling(shell.poster, place);
  const command = formCommand(form.metadata.verb);
  if (command === undefined) return beside;
  const { title } = command.form;
  const { viewId, values } = form;
  const ackedAt = performance.now();
  return {
    async say(post, how) {
      // Whoever has to mend something may have to fill in a rarer field: a reason, another channel.
      const { previewed: _previewed, ...rest } = form.metadata;
      const metadata = { ...rest, isMore: true };
      const view =
        how === "told" ? endView({ title, post }) : drawForm({ command, values, metadata }, { above: post.blocks });
      if (!(await updateAcked(shell, viewId, { view, ackedAt }))) await beside.say(post, how);
    },
    async placed(change) {
      const post = placedInForm({ change, defaultRegion: shell.settings.region });
      await updateAcked(shell, viewId, { view: endView({ title, post }), ackedAt });
    },
    unsaid: beside.unsaid,
  };
}
