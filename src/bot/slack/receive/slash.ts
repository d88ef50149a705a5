import { regionNames } from "../../commands/command.ts";
import { z } from "zod";
import type { WorkspaceParts } from "../parts.ts";
import { readSlash } from "../../commands/grammar/mention-words.ts";
import type { Message } from "../../views/kit/post.ts";
import { originOf } from "./payload.ts";
import { ackBody, type Ack } from "./transport.ts";
import { dispatch } from "../../workflow/receive/dispatch.ts";
import { failureMessage } from "../../workflow/reply.ts";
import { openForm } from "../modals/update-view.ts";
import { openVerbForm } from "../modals/open-form.ts";
import { within } from "../../../platform/waiting.ts";
import { followToStop } from "../../workflow/watching/log-follow.ts";
import { confirmMessage } from "../../views/messages/confirm-message.ts";
import { sentences } from "../../views/messages/sentences.ts";

/** https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling */
const SlashCommand = z.object({
  command: z.string(),
  text: z.string().default(""),
  user_id: z.string(),
  team_id: z.string().default(""),
  channel_id: z.string(),
  response_url: z.string(),
  trigger_id: z.string(),
});

/** A form has to be opened within three seconds of its command. */
const OFFER_WITHIN_MS = 1_000;

/** A typed command. Nothing slow runs before the ack, except that a change is stored first. */
export async function onSlash(deps: WorkspaceParts, body: unknown, ack: Ack): Promise<void> {
  const typed = SlashCommand.parse(body);
  const say = (message: Message | undefined): Promise<void> =>
    ack(message === undefined ? undefined : ackBody(message));
  if (deps.lanes.isStopping()) return say(sentences.restarting());
  if (deps.repeats.isRepeat(typed.trigger_id)) return ack();
  if (typed.command !== deps.settings.command) return say(sentences.otherCommand(deps.settings.command));
  const id = typed.trigger_id;
  const origin = originOf(deps, typed);
  const meant = readSlash(typed.text, regionNames(deps.settings));
  if (meant.kind === "form") {
    await ack();
    const offer = followToStop(deps, meant.begun, origin);
    const instead = await within(OFFER_WITHIN_MS, offer, () => undefined, deps.clock);
    if (instead !== undefined) return deps.lanes.track(deps.responder.tellPatiently(instead, origin));
    return openVerbForm(deps, { ...meant.begun, origin, triggerId: id });
  }
  if (meant.kind === "confirm") return say(confirmMessage(meant.parsed));
  if (meant.kind === "miss") return say(failureMessage(deps, meant.error, { verb: "?", effect: "read" }));
  const opens = async (view: object): Promise<void> => {
    await ack();
    await openForm(deps, { triggerId: id, view, origin });
  };
  return dispatch(deps, { ...meant.parsed, origin, id, opens }, say);
}
