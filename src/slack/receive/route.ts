import { z } from "zod";
import { ackBody, type Ack } from "./ack.ts";
import { onClick } from "./click.ts";
import { failureMessage } from "../../workflow/failure.ts";
import type { Origin } from "../../workflow/origin.ts";
import { sentences } from "../../views/messages/sentences.ts";
import type { Shell } from "../../workflow/shell.ts";
import { onEvent } from "./event.ts";
import { onShortcut } from "./shortcut.ts";
import { onSlash } from "./slash.ts";
import { onSubmission } from "./submission.ts";
import { onSuggestion } from "./suggestion.ts";

/** https://docs.slack.dev/reference/interaction-payloads: what every one of them has, as far as an answer needs it. */
const Interaction = z.object({
  type: z.string().optional(),
  command: z.string().optional(),
  user: z.object({ id: z.string() }).optional(),
  user_id: z.string().optional(),
  team: z.object({ id: z.string() }).nullish(),
  team_id: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  channel_id: z.string().optional(),
  response_url: z.string().optional(),
});
type Interaction = z.infer<typeof Interaction>;

/**
 * Everything that Slack delivers, by kind. What Gantry does not know is answered at once as well: a person sees a
 * sentence instead of Slack's "operation_timeout" after three seconds. Never rejects.
 */
export async function route(shell: Shell, body: unknown, ack: Ack): Promise<void> {
  shell.lanes.arrived();
  const once = onlyOnce(ack);
  try {
    // A stop waits for it, or a command could be acked and lost between two looks.
    await shell.lanes.track(handle(shell, body, once.ack));
  } catch (error) {
    await afterFailure(shell, { error, body, isAcked: once.isAcked() }, once.ack);
  }
}

function handle(shell: Shell, body: unknown, ack: Ack): Promise<void> {
  if (isCommand(body)) return onSlash(shell, body, ack);
  if (isEvent(body)) return onEvent(shell, body);
  const interaction = Interaction.parse(body);
  switch (interaction.type) {
    case "block_actions":
      return onClick(shell, body, ack);
    case "view_submission":
      return onSubmission(shell, body, ack);
    case "block_suggestion":
      return onSuggestion(shell, body, ack);
    case "shortcut":
    case "message_action":
      return onShortcut(shell, body, ack);
    case "interactive_message":
      return answerUnknown(shell, interaction, ack);
    default:
      // view_closed, events that nobody subscribed to, and what Slack may come up with: there is nobody to answer.
      return ack();
  }
}

/** Without a schema, because it stands before every ack; the command's own schema follows. */
function isCommand(body: unknown): boolean {
  return typeof body === "object" && body !== null && "command" in body;
}

/** Of a subscription of the manifest. */
function isEvent(body: unknown): boolean {
  return typeof body === "object" && body !== null && "event" in body;
}

/** Buttons of attachments, which Gantry never posts. */
async function answerUnknown(shell: Shell, interaction: Interaction, ack: Ack): Promise<void> {
  await ack();
  await shell.poster.tell(sentences.staleButton(shell.settings.command), originOf(shell, interaction));
}

function originOf({ identity }: Shell, interaction: Interaction): Origin {
  const { user, user_id, team, team_id, channel, channel_id, response_url } = interaction;
  const teamId = identity.teamId() ?? team?.id ?? team_id ?? "";
  const userId = user?.id ?? user_id ?? "";
  // A global shortcut has no channel; a user's id stands for the conversation with the app.
  return { userId, teamId, channelId: channel?.id ?? channel_id ?? userId, responseUrl: response_url };
}

type Failed = { readonly error: unknown; readonly body: unknown; readonly isAcked: boolean };

/** A listener broke: the person gets a sentence with a reference, in the ack when there was none yet. */
async function afterFailure(shell: Shell, { error, body, isAcked }: Failed, ack: Ack): Promise<void> {
  const message = failureMessage(shell, error, { verb: "?", effect: "read" });
  const interaction = Interaction.safeParse(body).data ?? {};
  try {
    if (!isAcked && interaction.command !== undefined) return await ack(ackBody(message));
    if (!isAcked) await ack();
    await shell.poster.tell(message, originOf(shell, interaction));
  } catch (err) {
    shell.log.error({ err }, "a failure could not be told");
  }
}

function onlyOnce(ack: Ack): { readonly ack: Ack; readonly isAcked: () => boolean } {
  let isAcked = false;
  return {
    async ack(body) {
      isAcked = true;
      await ack(body);
    },
    isAcked: () => isAcked,
  };
}
