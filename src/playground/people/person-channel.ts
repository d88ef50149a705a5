import type { Channel, User } from "../workspace/state.ts";
import { bot, directChannel, findChannel, findUser } from "../workspace/workspace.ts";
import type { World } from "../world.ts";

function partnerOf(world: World, name: string): string | undefined {
  if (!name.startsWith("@")) return undefined;
  return name === "@bot" || name === `@${world.app.botDisplayName}` ? bot.user : findUser(world.state, name)?.id;
}

/** The channel a person means ("ops" when they name none); throws when there is none or they are not in it. */
export function channelOf(world: World, user: User, name = "ops"): Channel {
  const partner = partnerOf(world, name);
  const channel = partner === undefined ? findChannel(world.state, name) : directChannel(world.state, user.id, partner);
  if (channel === undefined)
    throw new Error(`There is no channel "${name}". There are ops, general, incidents, and @name.`);
  if (!channel.members.has(user.id)) throw new Error(`${user.name} is not in #${channel.name}.`);
  return channel;
}
