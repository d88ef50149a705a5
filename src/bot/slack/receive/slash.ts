import { regionNames } from "../../commands/command.ts";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { WorkspaceParts } from "../parts.ts";
import { parseText, type Parsed, unfinishedForm } from "../../commands/grammar/parse.ts";
import { readSentence } from "../../commands/grammar/mention-words.ts";
import { UserError } from "../../errors.ts";
import type { Message } from "../../views/kit/post.ts";
import { ackBody, type Ack } from "./transport.ts";
import { dispatch } from "../../workflow/dispatch.ts";
import { failureMessage } from "../../workflow/failure.ts";
import { openForm } from "../modals/update-view.ts";
import { openVerbForm } from "../modals/open-form.ts";
import type { Origin } from "../../workflow/origin.ts";
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

/** A typed command. Nothing slow runs before the ack, except that a change is stored first. */
export async function onSlash(deps: WorkspaceParts, body: unknown, ack: Ack): Promise<void> {
  const typed = SlashCommand.parse(body);
  const say = (message: Message | undefined): Promise<void> =>
    ack(message === undefined ? undefined : ackBody(message));
  if (deps.lanes.isStopping()) return say(sentences.restarting());
  if (deps.repeats.isRepeat(typed.trigger_id)) return ack();
  if (typed.command !== deps.settings.command) return say(sentences.otherCommand(deps.settings.command));
  const { trigger_id: id, user_id: userId, channel_id: channelId, response_url: responseUrl } = typed;
  const origin: Origin = { userId, teamId: deps.people.bot().teamId ?? typed.team_id, channelId, responseUrl };
  let parsed: Parsed;
  try {
    parsed = parseText(typed.text);
  } catch (error) {
    const begun = unfinishedForm(typed.text);
    if (begun !== undefined) {
      // Incomplete words continue in the form.
      await ack();
      return openVerbForm(deps, { ...begun, origin, triggerId: id });
    }
    const meant = readSentence(typed.text, regionNames(deps.settings));
    if (meant.kind === "confirm" && !offersBetter(error, meant.parsed)) return say(confirmMessage(meant.parsed));
    if (meant.kind !== "run") return say(failureMessage(deps, error, { verb: "?", effect: "read" }));
    ({ parsed } = meant);
  }
  const opens = async (view: object): Promise<void> => {
    await ack();
    await openForm(deps, { triggerId: id, view, origin });
  };
  return dispatch(deps, { ...parsed, origin, id, opens }, say);
}

/** Its buttons run what was typed with the verb that was probably meant. A whole sentence says more than a word like a verb. */
function offersBetter(error: unknown, { ask }: Parsed): boolean {
  if (!(error instanceof UserError)) return false;
  const runnable = error.suggestions.filter(({ words }) => words !== undefined);
  const [only, ...others] = runnable;
  if (only === undefined || others.length > 0) return others.length > 0;
  return only.ask.verb !== ask.verb || isDeepStrictEqual(only.ask.args, ask.args);
}
