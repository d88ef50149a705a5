import { UserError } from "../../errors.ts";
import type { Origin } from "../origin.ts";
import type { People } from "../ports.ts";
import { beforeNo } from "./approvers.ts";

/**
 * People who type in a channel are in it; in a form they may choose any channel that they can find. What rules
 * and accounts give to a channel is for those who are in it. Throws a `UserError` otherwise, and when it is not known.
 */
export async function checkChosen(people: People, origin: Origin): Promise<void> {
  const { isChosen, channelId, userId } = origin;
  if (isChosen !== true) return;
  const members = await beforeNo(
    people,
    (maxAgeMs) => people.channelMembers(channelId, maxAgeMs),
    (known) => known?.has(userId) === true,
  );
  if (members === undefined) {
    throw new UserError("I'm not in the channel you chose. Nothing was changed.", {
      next: "Choose another one, or invite me with `/invite`.",
    });
  }
  if (members.has(userId)) return;
  throw new UserError("You're not in the channel you chose. Nothing was changed.", {
    next: "Choose one you're in, or join it.",
  });
}
