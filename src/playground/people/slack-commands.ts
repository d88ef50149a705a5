import type { Channel, User } from "../workspace/state.ts";
import { findUser } from "../workspace/workspace.ts";
import { notice, touch, type World } from "../world.ts";
import { enterChannel } from "./enter-channel.ts";

type Typed = { readonly user: User; readonly channel: Channel; readonly thread: string | undefined };

/**
 * The two built-in commands that bots ask people to type:
 * https://slack.com/help/articles/201259356-Slash-commands-in-Slack
 */
const slackCommands = {
  "/invite": { verb: "invited", says: "is now in", change: enterChannel },
  "/remove": {
    verb: "removed",
    says: "left",
    change: (_world: World, { members }: Channel, { id }: User) => void members.delete(id),
  },
} as const;

/** Runs a built-in command such as "/invite @gantry"; false if it is none. */
export function runSlackCommand(world: World, from: Typed, text: string): boolean {
  const [, command = "", name = ""] = /^(\S+)\s*(\S*)/.exec(text) ?? [];
  const builtIn = Object.entries(slackCommands).find(([each]) => each === command)?.[1];
  if (builtIn === undefined) return false;
  const { channel } = from;
  const user = name === "" ? undefined : findUser(world.state, name);
  const to = { user: from.user.id, channel: channel.id, thread: from.thread };
  if (user === undefined || channel.kind === "im") {
    notice(world, to, `Nobody was ${builtIn.verb}. Type ${command} @name in a channel.`);
    return true;
  }
  builtIn.change(world, channel, user);
  touch(world);
  notice(world, to, `@${user.name} ${builtIn.says} #${channel.name}.`);
  return true;
}
