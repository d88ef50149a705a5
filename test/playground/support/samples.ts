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
export const image = (more: object = {}) => ({
  type: "image",
  image_url: "https://x.test/i.png",
  alt_text: "x",
  ...more,
});
export const cell = (text = "x") => ({ type: "raw_text", text });
export const table = (rows: object[][], more: object = {}) => ({ type: "table", rows, ...more });
export const dataTable = (rows: object[][], more: object = {}) => ({
  type: "data_table",
  caption: "x",
  rows,
  ...more,
});
export const series = (name: string, labels: readonly string[]) => ({
  name,
  data: labels.map((label) => ({ label, value: 1 })),
});
export const chart = (categories: readonly string[], drawn: object[], axis: object = {}) => ({
  type: "data_visualization",
  title: "x",
  chart: { type: "bar", series: drawn, axis_config: { categories, ...axis } },
});
export const pie = (segments: object[], title = "x") => ({
  type: "data_visualization",
  title,
  chart: { type: "pie", segments },
});
export const container = (children: object[], more: object = {}) => ({
  type: "container",
  title: plain(),
  child_blocks: children,
  ...more,
});
export const video = (more: object = {}) => ({
  type: "video",
  video_url: "https://x.test/v",
  thumbnail_url: "https://x.test/t.png",
  alt_text: "x",
  title: plain(),
  ...more,
});
export const richText = (...elements: object[]) => ({ type: "rich_text", elements });
export const richList = (more: object = {}) => ({
  type: "rich_text_list",
  style: "bullet",
  elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "x" }] }],
  ...more,
});
export const confirm = (more: object = {}) => ({ text: mrkdwn(), ...more });
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
