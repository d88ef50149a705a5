import { connectForm } from "../../views/forms/connect-form.ts";
import type { Message } from "../../views/kit/message.ts";
import { NO_REGION } from "../../views/home/view.ts";
import { openForm } from "../modals/update-view.ts";
import { openVerbForm } from "../modals/open-form.ts";
import { formCommand } from "../../commands/grammar/parse.ts";
import { ANY_AGE_MS, homeLater } from "./draw.ts";
import { linkOwner } from "../../workflow/link-owner.ts";
import { onReadClick } from "../receive/read-click.ts";
import type { Origin } from "../../workflow/origin.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../../workflow/shell.ts";

const actions = ["home:refresh", "home:region", "home:do", "home:connect"] as const;

/** What was clicked on Home that belongs to Home alone; undefined for buttons that stand elsewhere, too. */
export function homeAction(actionId: string): (typeof actions)[number] | undefined {
  return actions.find((action) => action === actionId);
}

type Clicked = {
  readonly actionId: string;
  readonly value: string;
  readonly origin: Origin;
  readonly triggerId: string;
};

/** Acked already: none of these changes a workload. */
export async function onHomeClick(shell: Shell, { actionId, value, origin, triggerId }: Clicked): Promise<void> {
  switch (homeAction(actionId)) {
    case "home:refresh":
      return homeLater(shell, origin);
    case "home:region":
      return chooseRegion(shell, value, origin);
    case "home:connect": {
      const metadata = JSON.stringify({ whose: "mine", origin });
      await openForm(shell, { triggerId, view: connectForm({ owner: linkOwner("mine", origin), metadata }), origin });
      return;
    }
    case "home:do": {
      await doVerb(shell, { value, origin, triggerId });
      // Drawn anew the menu holds no choice, so that the same can be chosen again.
      return homeLater(shell, origin, ANY_AGE_MS);
    }
    case undefined:
      return undefined;
  }
}

/** Its form; what needs no form, because it only looks, is done at once. */
async function doVerb(shell: Shell, { value, origin, triggerId }: Omit<Clicked, "actionId">): Promise<void> {
  const command = formCommand(value);
  if (command !== undefined) return openVerbForm(shell, { command, values: {}, origin, triggerId });
  const ask = JSON.stringify({ verb: value, share: false, args: {} });
  const tell = (message: Message): Promise<void> => shell.lanes.track(shell.poster.tell(message, origin));
  await onReadClick(shell, { actionId: "ask:0", blockId: "", value: ask, origin, tell });
}

/** The region where services are looked for when nothing else says one: a setting of this person alone. */
async function chooseRegion(shell: Shell, value: string, origin: Origin): Promise<void> {
  const region = value === NO_REGION ? undefined : value;
  try {
    await shell.lanes.track(shell.store.setRegion(origin.teamId, origin.userId, region));
    shell.accounts.forget();
  } catch (error) {
    const reference = shell.newReference();
    shell.log.error({ err: error, reference }, "a setting could not be stored");
    return shell.poster.tell(sentences.notStored(reference, shell.settings.command), origin);
  }
  homeLater(shell, origin);
}
