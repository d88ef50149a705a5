import { z } from "zod";
import { onMention } from "./mention.ts";
import { onHomeOpened } from "../home/draw.ts";
import type { Shell } from "../../workflow/shell.ts";

const Event = z.object({ event: z.object({ type: z.string() }) });

type OnEvent = (shell: Shell, body: unknown) => Promise<void>;

/** What the manifest subscribes to, by the type that stands in the event: `message.im` arrives as a `message`. */
export const eventHandlers: Readonly<Record<string, OnEvent>> = {
  app_mention: onMention,
  message: onMention,
  app_home_opened: onHomeOpened,
};

/** Bolt has acked it before. What nobody subscribed to is let go. */
export async function onEvent(shell: Shell, body: unknown): Promise<void> {
  const { type } = Event.parse(body).event;
  await (Object.hasOwn(eventHandlers, type) ? eventHandlers[type] : undefined)?.(shell, body);
}
