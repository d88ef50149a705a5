import { z } from "zod";
import { parseText, type Parsed, unfinishedForm } from "../../commands/grammar/parse.ts";
import type { Message } from "../../views/kit/message.ts";
import { ackBody, type Ack } from "./ack.ts";
import { dispatch } from "../../workflow/dispatch.ts";
import { failureMessage } from "../../workflow/failure.ts";
import { openForm } from "../modals/update-view.ts";
import { type Opening, openVerbForm } from "../modals/open-form.ts";
import type { Origin } from "../../workflow/origin.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../../workflow/shell.ts";

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
type SlashCommand = z.infer<typeof SlashCommand>;

/** A typed command. Nothing that waits stands before the ack, except that what changes something is stored first. */
export async function onSlash(shell: Shell, body: unknown, ack: Ack): Promise<void> {
  const typed = SlashCommand.parse(body);
  const say = (message: Message | undefined): Promise<void> =>
    ack(message === undefined ? undefined : ackBody(message));
  if (shell.lanes.isStopping()) return say(sentences.restarting());
  if (shell.repeats.isRepeat(typed.trigger_id)) return ack();
  if (typed.command !== shell.settings.command) return say(sentences.otherCommand(shell.settings.command));
  let parsed: Parsed;
  try {
    parsed = parseText(typed.text);
  } catch (error) {
    const begun = unfinishedForm(typed.text);
    if (begun !== undefined) return openBegun(shell, { ...begun, typed }, ack);
    return say(failureMessage(shell, error, { verb: "?", effect: "read" }));
  }
  const { trigger_id: id } = typed;
  const origin = originOf(shell, typed);
  const opens = async (view: object): Promise<void> => {
    await ack();
    await openForm(shell, { triggerId: id, view, origin });
  };
  return dispatch(shell, { ...parsed, origin, id, opens }, say);
}

type Beginning = Pick<Opening, "command" | "values"> & { readonly typed: SlashCommand };

/** Words that only lack something go on in the form. */
async function openBegun(shell: Shell, { command, values, typed }: Beginning, ack: Ack): Promise<void> {
  await ack();
  return openVerbForm(shell, { command, values, origin: originOf(shell, typed), triggerId: typed.trigger_id });
}

function originOf({ identity }: Shell, { user_id, team_id, channel_id, response_url }: SlashCommand): Origin {
  return { userId: user_id, teamId: identity.teamId() ?? team_id, channelId: channel_id, responseUrl: response_url };
}
