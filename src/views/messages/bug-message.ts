import { section } from "../kit/blocks.ts";
import type { Message } from "../kit/message.ts";
import { post } from "../kit/post.ts";

/** A bug of ours. The reference is all a person needs to hand on; it stands beside the stack in the log. */
export function bugMessage(reference: string): Message {
  const what = "Something broke in Gantry; it is no mistake of yours.";
  const next = `If you asked for a change, look whether it took effect before you ask again. Tell who runs Gantry here the reference \`${reference}\`: the log says more under it.`;
  return post(`${what} ${next.replaceAll("`", "")}`, [section(what, next)]);
}
