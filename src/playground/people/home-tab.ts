import type { Delivery } from "../delivery/deliver.ts";
import { deliverEvent } from "../delivery/deliver-event.ts";
import { homeOpenedEvent } from "../delivery/payloads.ts";
import type { User } from "../workspace/state.ts";
import type { World } from "../world.ts";
import { appChannel } from "./surfaces.ts";

/** Opens a tab of the app; the bot hears of it when it subscribed to app_home_opened. */
export async function openHome(world: World, user: User, tab: "home" | "messages"): Promise<Delivery> {
  if (!world.app.events.includes("app_home_opened")) {
    return { kind: "app_home_opened", acked: true, status: undefined, ms: 0 };
  }
  const event = homeOpenedEvent(world, { user, channel: appChannel(world, user), tab });
  return deliverEvent(world, event);
}
