import { type JsonObject, textOf } from "../../json.ts";
import { stateOf } from "../blocks/elements/action-value.ts";
import type { ActionValue, BlockContext, ElementRef } from "../blocks/block-context.ts";
import { option, type Sample, times } from "./sample.ts";

const people: Readonly<Record<string, string>> = {
  U0DANA: "dana",
  U0ALEX: "alex",
  U0OMAR: "omar",
  U0LONG: "somebody-with-a-name-that-is-longer-than-anybody-thought-it-would-be",
};
const channels: Readonly<Record<string, string>> = { C0OPS: "ops", C0GENERAL: "general", C0INCIDENTS: "incidents" };

const list = (names: Readonly<Record<string, string>>, mark: string) =>
  Object.entries(names).map(([id, name]) => ({ id, name: `${mark}${name}` }));

const listings = {
  users: list(people, "@"),
  channels: list(channels, "#"),
  conversations: [...list(channels, "#"), ...list(people, "@")],
};

// Long enough to see the busy state.
const ackMs = 500;

/** A fake bot that acks everything after a while, except the element with the action_id "no-answer". */
async function answer(actionId: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ackMs);
  await promise;
  if (actionId === "no-answer") throw new Error("This app did not respond: operation_timeout");
}

export type GalleryOptions = {
  readonly sample: Sample;
  readonly values: Readonly<Record<string, ActionValue>>;
  readonly keep: (ref: ElementRef, value: ActionValue) => void;
  /** Called with each action the bot would get. */
  readonly onAction: (action: JsonObject) => void;
  readonly emoji: (name: string) => string | undefined;
  readonly now: number;
};

/** The context of blocks in the gallery: names, and a fake bot. */
export function galleryContext(options: GalleryOptions): BlockContext {
  const { sample, values, keep, onAction, emoji, now } = options;
  return {
    surface: sample.surface,
    user: (id) => people[id] ?? id,
    channel: (id) => channels[id] ?? id,
    usergroup: (id) => (id === "S0ONCALL" ? "oncall" : id),
    listed: (what) => listings[what],
    async act({ blockId, actionId, element, value }) {
      onAction({ block_id: blockId, action_id: actionId, ...stateOf(textOf(element["type"]), value) });
      await answer(actionId);
    },
    async suggest({ query }) {
      await answer("");
      return times(5, (at) => option(`${query || "workload"}-${at + 1}`));
    },
    errors: sample.errors ?? {},
    values,
    onInput: ({ value, ...ref }) => keep(ref, value),
    emoji,
    now,
    openFile: (id) => onAction({ open: id }),
    image: (url) => (url === "https://gantry.example/picture.svg" ? "/page/gallery/picture.svg" : url),
  };
}
