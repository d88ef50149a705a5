import { viewFields } from "../../src/playground/workspace/views.ts";
import type { Person, World } from "./world.ts";

/**
 * Submits the form that `opener` has open in the name of `sender`, as Slack sends it. The form still carries the
 * metadata of the person who opened it.
 */
export async function sendsFormOf(
  town: World,
  { opener, sender }: { readonly opener: Person; readonly sender: Person },
): Promise<void> {
  const view = opener.modal();
  if (view === undefined) throw new Error(`${opener.name} has no form open`);
  const payload = {
    type: "view_submission",
    team: { id: "T0PLAYGR", domain: "playground" },
    user: { id: sender.id, username: sender.name, name: sender.name, team_id: "T0PLAYGR" },
    trigger_id: `${view.id}.${sender.id}`,
    view: viewFields(view),
    response_urls: [],
  };
  const { acked, error } = await town.playground.deliver(payload);
  if (!acked) throw new Error(`the bot did not answer: ${error}`);
  await town.settled();
}
