import type { State } from "../workspace/state.ts";

/** Collects mentions and links while drawing. */
export type Pen = {
  readonly state: State;
  /** "@channel", "@dana", "@oncall": everybody the message would notify. */
  readonly mentions: string[];
  readonly links: string[];
};

export function newPen(state: State): Pen {
  return { state, mentions: [], links: [] };
}

export function drawUser(pen: Pen, id: string): string {
  const drawn = `@${pen.state.users.get(id)?.name ?? id}`;
  pen.mentions.push(drawn);
  return drawn;
}

export function drawGroup(pen: Pen, id: string): string {
  const drawn = `@${pen.state.groups.get(id)?.handle ?? id}`;
  pen.mentions.push(drawn);
  return drawn;
}

export function drawBroadcast(pen: Pen, range: string): string {
  pen.mentions.push(`@${range}`);
  return `@${range}`;
}

export function drawChannel(pen: Pen, id: string): string {
  const drawn = `#${pen.state.channels.get(id)?.name ?? id}`;
  pen.links.push(drawn);
  return drawn;
}

export function drawLink(pen: Pen, url: string, label: string): string {
  pen.links.push(url);
  return label === "" || label === url ? url : `${label} (${url})`;
}
