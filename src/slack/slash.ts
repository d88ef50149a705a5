import { z } from "zod";
import type { Command } from "../commands/command.ts";
import { parseText, type Parsed } from "../commands/parse.ts";
import { connectForm } from "../views/connect-form.ts";
import type { Message } from "../views/message.ts";
import { ackBody, type Ack } from "./ack.ts";
import type { Deed } from "./deed.ts";
import { accept } from "./deliveries.ts";
import { failureMessage } from "./failure.ts";
import { openForm } from "./forms.ts";
import { linkOwner } from "./link-owner.ts";
import type { Place } from "./place.ts";
import { answerRead } from "./read.ts";
import { sentences } from "./sentence.ts";
import type { Asked, Shell } from "./shell.ts";

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
  if (shell.inflight.isStopping()) return say(sentences.restarting());
  if (shell.seen.isRepeat(typed.trigger_id)) return ack();
  if (typed.command !== shell.settings.command) return say(sentences.otherCommand(shell.settings.command));
  let parsed: Parsed;
  try {
    parsed = parseText(typed.text);
  } catch (error) {
    return say(failureMessage(shell, error, { verb: "?", effect: "read" }));
  }
  const asked = { ask: parsed.ask, place: placeOf(shell, typed) };
  return dispatch(shell, { ...asked, command: parsed.command, triggerId: typed.trigger_id }, say);
}

function placeOf({ identity }: Shell, { user_id, team_id, channel_id, response_url }: SlashCommand): Place {
  return { userId: user_id, teamId: identity.teamId() ?? team_id, channelId: channel_id, responseUrl: response_url };
}

type Dispatched = Asked & { readonly command: Command; readonly triggerId: string };
type Say = (message: Message | undefined) => Promise<void>;

async function dispatch(shell: Shell, { command, triggerId, ...asked }: Dispatched, say: Say): Promise<void> {
  switch (command.effect) {
    case "read": {
      const isTaken = shell.inflight.start((signal) => answerRead(shell, { ...asked, command }, signal));
      return say(isTaken ? undefined : sentences.busy());
    }
    case "write":
      return accept(shell, { id: triggerId, deed: { kind: "ask", ...asked }, ack: say });
    case "decide": {
      const { kind: decision, changeId, reason } = command.decision(asked.ask);
      const deed: Deed = {
        kind: "decide",
        decision,
        changeId,
        place: asked.place,
        ...(reason !== undefined && { reason }),
      };
      return accept(shell, { id: triggerId, deed, ack: say });
    }
    case "link": {
      const { kind, whose } = command.link(asked.ask);
      if (whose === "channel" && asked.place.channelId.startsWith("D")) return say(sentences.noChannel());
      if (kind === "disconnect") {
        return accept(shell, { id: triggerId, deed: { kind, whose, place: asked.place }, ack: say });
      }
      await say(undefined);
      const metadata = JSON.stringify({ whose, place: asked.place });
      const view = connectForm({ owner: linkOwner(whose, asked.place), metadata });
      return openForm(shell, { triggerId, view, place: asked.place });
    }
  }
}
