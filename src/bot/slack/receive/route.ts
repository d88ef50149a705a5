import { z } from "zod";
import type { WorkspaceParts } from "../parts.ts";
import { ackBody, AckLostError, type Ack } from "./transport.ts";
import { onChannelMoved, onProfileChanged, onUninstalled } from "./workspace-events.ts";
import { onClick } from "./click.ts";
import type { Block } from "../../views/kit/blocks.ts";
import { failureMessage } from "../../workflow/reply.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { onHomeOpened } from "../home.ts";
import { onMention, onSlash } from "./typed.ts";
import { originOf, Sent } from "./payload.ts";
import { onShortcut } from "./shortcut.ts";
import { onSubmission } from "./submission.ts";
import { onSuggestion } from "./suggestion.ts";
import type { Message } from "../../views/kit/post.ts";

/** The fields an answer needs, of any payload. */
const Interaction = z.object({
  ...Sent.shape,
  user_id: z.string().default(""),
  type: z.string().optional(),
  command: z.string().optional(),
});

/**
 * Routes everything that Slack delivers, by kind. Unknown payloads are acked at once too, or people would see Slack's
 * "operation_timeout" after three seconds. Never rejects.
 */
export async function route(deps: WorkspaceParts, body: unknown, ack: Ack): Promise<void> {
  deps.lanes.arrived();
  const once = onlyOnce(ack);
  try {
    // A stop waits for it: otherwise a command could be acked and lost.
    await deps.lanes.track(handle(deps, body, once.ack));
  } catch (error) {
    await afterFailure(deps, { error, body, isAcked: once.isAcked() }, once.ack);
  }
  await tellLost(deps, body, once.lost());
}

/** Acks a payload whose workspace is not at hand. Only a command has somebody who can be told. */
export async function answerWithout(message: Message | undefined, body: unknown, ack: Ack): Promise<void> {
  await ack(message !== undefined && isCommand(body) ? ackBody(message) : undefined);
}

async function handle(deps: WorkspaceParts, body: unknown, ack: Ack): Promise<void> {
  if (isCommand(body)) return onSlash(deps, body, ack);
  if (typeof body === "object" && body !== null && "event" in body) {
    // Bolt has acked it before. Events without a subscription are ignored.
    const { type } = Event.parse(body).event;
    return (Object.hasOwn(eventHandlers, type) ? eventHandlers[type] : undefined)?.(deps, body);
  }
  const interaction = Interaction.parse(body);
  switch (interaction.type) {
    case "block_actions":
      return onClick(deps, body, ack);
    case "view_submission":
      return onSubmission(deps, body, ack);
    case "block_suggestion":
      return onSuggestion(deps, body, ack);
    case "shortcut":
    case "message_action":
      return onShortcut(deps, body, ack);
    case "interactive_message":
      // Buttons of attachments, which Gantry never posts.
      await ack();
      return deps.responder.tellPatiently(sentences.staleButton(deps.settings.command), originOf(deps, interaction));
    default:
      // view_closed, and kinds that Slack may add: there is nobody to answer.
      return ack();
  }
}

const Event = z.object({ event: z.object({ type: z.string() }) });

/** The manifest's subscriptions, by the type in the event: `message.im` arrives as a `message`. */
export const eventHandlers: Readonly<Record<string, (deps: WorkspaceParts, body: unknown) => Promise<void>>> = {
  app_mention: onMention,
  message: onMention,
  app_home_opened: onHomeOpened,
  channel_id_changed: onChannelMoved,
  app_uninstalled: onUninstalled,
  tokens_revoked: onUninstalled,
  team_access_revoked: onUninstalled,
  user_change: onProfileChanged,
  team_join: onProfileChanged,
};

/** Without a schema, because it runs before every ack; the command's own schema follows. */
function isCommand(body: unknown): boolean {
  return typeof body === "object" && body !== null && "command" in body;
}

type Failed = { readonly error: unknown; readonly body: unknown; readonly isAcked: boolean };

/** Tells the person, with a reference; in the ack if it wasn't sent yet. */
async function afterFailure(
  deps: Pick<WorkspaceParts, "log" | "people" | "responder" | "settings">,
  { error, body, isAcked }: Failed,
  ack: Ack,
): Promise<void> {
  const message = failureMessage(deps, error, { verb: "?", effect: "read" });
  const interaction = Interaction.safeParse(body).data ?? { user_id: "" };
  try {
    if (!isAcked && interaction.command !== undefined) return await ack(ackBody(message));
    if (!isAcked) await ack();
    await deps.responder.tellPatiently(message, originOf(deps, interaction));
  } catch (err) {
    deps.log.error({ err }, "couldn't report a failure");
  }
}

type SingleAck = {
  readonly ack: Ack;
  readonly isAcked: () => boolean;
  /** What an ack said that nobody saw. */
  readonly lost: () => object | undefined;
};

/** A lost ack doesn't stop the work: Slack may have shown an error, and people get their answer all the same. */
function onlyOnce(ack: Ack): SingleAck {
  let isAcked = false;
  let lost: object | undefined;
  return {
    async ack(body) {
      isAcked = true;
      try {
        await ack(body);
      } catch (error) {
        if (!(error instanceof AckLostError)) throw error;
        lost = body;
      }
    },
    isAcked: () => isAcked,
    lost: () => lost,
  };
}

const Answer = z.object({ text: z.string(), blocks: z.array(z.custom<Block>()).default([]) });

/** Posts an answer that was the ack itself. Only a command has one that can be posted. */
async function tellLost(deps: WorkspaceParts, body: unknown, lost: object | undefined): Promise<void> {
  const answer = Answer.safeParse(lost).data;
  const interaction = Interaction.safeParse(body).data;
  if (answer === undefined || interaction?.command === undefined) return;
  await deps.responder.tellPatiently(answer, originOf(deps, interaction));
}
