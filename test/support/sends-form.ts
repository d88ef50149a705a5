import { viewJson } from "../../src/playground/workspace/views.ts";
import { deliver } from "./deliver.ts";
import type { Person, World } from "./world.ts";

/**
 * Submits the form that `opener` has open in the name of `sender`, signed as Slack signs it. The form still carries the
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
    view: viewJson(view),
    response_urls: [],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const { status } = await deliver(town, { body });
  if (status !== 200) throw new Error(`the bot answered ${status}`);
  await town.settled();
}
