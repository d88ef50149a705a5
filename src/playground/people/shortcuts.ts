import { interactionRequest } from "../delivery/bot-request.ts";
import { type Delivery, deliver } from "../delivery/deliver.ts";
import { globalShortcutPayload, messageShortcutPayload } from "../delivery/payloads.ts";
import type { Channel, Message, User } from "../workspace/state.ts";
import { notice, type Shortcut, type World } from "../world.ts";

function shortcutOf(world: World, type: Shortcut["type"], callbackId: string): Shortcut {
  const found = world.app.shortcuts?.find((each) => each.type === type && each.callbackId === callbackId);
  if (found === undefined) throw new Error(`${world.app.name} has no ${type} shortcut "${callbackId}".`);
  return found;
}

/** Runs a global shortcut. */
export async function useGlobalShortcut(world: World, user: User, callbackId: string): Promise<Delivery> {
  shortcutOf(world, "global", callbackId);
  return deliver(world, interactionRequest("shortcut", globalShortcutPayload(world, user, callbackId)));
}

/** Runs a message shortcut. Ephemeral messages have none. */
export async function useMessageShortcut(
  world: World,
  at: { readonly user: User; readonly channel: Channel; readonly message: Message },
  callbackId: string,
): Promise<Delivery> {
  const { name } = shortcutOf(world, "message", callbackId);
  if (at.message.ephemeralTo !== undefined) throw new Error("Messages only visible to you have no shortcuts.");
  const delivery = await deliver(
    world,
    interactionRequest("message_action", messageShortcutPayload(world, at, callbackId)),
  );
  if (delivery.error !== undefined) {
    const to = { user: at.user.id, channel: at.channel.id, thread: at.message.threadTs };
    notice(world, to, `"${name}" failed with the error "${delivery.error}"`);
  }
  return delivery;
}
