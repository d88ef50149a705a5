import type { Answer, SmallWorld } from "./small-world.ts";

// Minimal valid samples, to be broken in one point.

export const plain = (text = "x") => ({ type: "plain_text", text });
export const mrkdwn = (text = "x") => ({ type: "mrkdwn", text });
export const long = (length: number): string => "x".repeat(length);
export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const section = (more: object = { text: mrkdwn() }) => ({ type: "section", ...more });
export const button = (more: object = {}) => ({ type: "button", text: plain(), ...more });
export const actions = (...elements: object[]) => ({ type: "actions", elements });
export const option = (more: object = {}) => ({ text: plain(), value: "v", ...more });
export const select = (more: object = { options: [option()] }) => ({ type: "static_select", ...more });
export const input = (element: object = { type: "plain_text_input" }, more: object = {}) => ({
  type: "input",
  label: plain(),
  element,
  ...more,
});
export const richText = (...elements: object[]) => ({ type: "rich_text", elements });
export const modal = (more: object = {}) => ({ type: "modal", title: plain(), blocks: [section()], ...more });
export const home = (...blocks: object[]) => ({ type: "home", blocks });

/** A trigger_id, as from a slash command. */
export async function trigger(world: SmallWorld): Promise<string> {
  await world.playground.as("dana").says("/gantry open");
  return String(world.bot.last()["trigger_id"]);
}

export const post = (world: SmallWorld, blocks: readonly object[], more: object = {}): Promise<Answer> =>
  world.call("chat.postMessage", { channel: "C0OPS", text: "x", blocks, ...more });

/** A Home tab takes large blocks: it has no limit on their total size. */
export const publish = (world: SmallWorld, ...blocks: object[]): Promise<Answer> =>
  world.call("views.publish", { user_id: "U0DANA", view: home(...blocks) });

export const open = async (world: SmallWorld, more: object = {}): Promise<Answer> =>
  world.call("views.open", { trigger_id: await trigger(world), view: modal(more) });

/** A channel that Dana is in, as the Web API shows it. */
export async function channelInfo(world: SmallWorld, id: string): Promise<unknown> {
  const types = "public_channel,private_channel";
  const { channels } = await world.call("users.conversations", { types, user: "U0DANA" });
  return (channels as { id: string }[]).find((each) => each.id === id); // the method answers with channels
}
