import type { LinkOwner } from "../views/messages/account-message.ts";
import type { Origin } from "./origin.ts";

/** Whose account is linked: the person's own, or that of the channel where it was typed. */
export function linkOwner(whose: "mine" | "channel", { userId, channelId }: Origin): LinkOwner {
  return whose === "mine" ? { kind: "user", userId } : { kind: "channel", channelId };
}
