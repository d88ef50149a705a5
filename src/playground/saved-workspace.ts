import { z } from "zod";
import { isObject, type JsonObject, objectsOf } from "./json.ts";
import { times } from "./rules/limits.ts";
import { type Message, type SharedFile, type State, UserShape } from "./workspace/state.ts";
import { initialState } from "./block-kit.ts";

// The saved workspace. An older file that lacks something, or has something else in its place, counts as damaged.

/** Blocks and views come from JSON text, so an object holds nothing but JSON. */
const Content = z.custom<JsonObject>(isObject);

const Channel = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(["public", "private", "im"]),
  members: z.array(z.string()),
  sharedWith: z.array(z.string()),
  isArchived: z.boolean(),
});

const Group = z.object({ id: z.string(), handle: z.string(), name: z.string(), users: z.array(z.string()) });

const SavedFile = z.object({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  createdMs: z.number(),
  base64: z.base64(),
});

const SavedMessage = z.object({
  ts: z.string().regex(/^\d+\.\d{6}$/u),
  channel: z.string(),
  user: z.string(),
  text: z.string(),
  blocks: z.array(Content),
  /** Ids of saved files. */
  files: z.array(z.string()),
  threadTs: z.string().optional(),
  isBroadcast: z.literal(true).optional(),
  editedTs: z.string().optional(),
  isTombstone: z.literal(true).optional(),
});

const Home = z.object({ id: z.string(), user: z.string(), content: Content, hash: z.string() });

const SavedResponseUrl = z.object({
  id: z.string(),
  user: z.string(),
  channel: z.string(),
  madeMs: z.number(),
  uses: z.number(),
  /** The ts of the message that it may replace. */
  original: z.string().optional(),
});

export const Saved = z.object({
  version: z.literal(1),
  users: z.array(UserShape),
  channels: z.array(Channel),
  groups: z.array(Group),
  files: z.array(SavedFile),
  messages: z.array(SavedMessage),
  homes: z.array(Home),
  responseUrls: z.array(SavedResponseUrl),
  /** The read marks by person and conversation. */
  reads: z.array(z.tuple([z.string(), z.string()])),
});
export type Saved = z.infer<typeof Saved>;

/** The newest messages that are kept, and the bytes of their files. */
export const mostMessages = 2_000;
const mostFileBytes = 8_000_000;

/** The newest messages. A reply goes with its parent; ephemeral messages end with the session, as in Slack. */
function keptMessages(state: State): readonly Message[] {
  const lasting = state.messages.filter((message) => message.ephemeralTo === undefined);
  const cut = new Set(lasting.slice(0, -mostMessages).map(({ channel, ts }) => `${channel} ${ts}`));
  return lasting
    .slice(-mostMessages)
    .filter(({ channel, threadTs }) => threadTs === undefined || !cut.has(`${channel} ${threadTs}`));
}

/** The files of these messages, newest first, as far as there is room. */
function keptFiles(messages: readonly Message[]): ReadonlyMap<string, SharedFile> {
  const files = new Map<string, SharedFile>();
  let room = mostFileBytes;
  for (const file of messages.toReversed().flatMap((message) => message.files)) {
    if (files.has(file.id) || file.bytes.byteLength > room) continue;
    room -= file.bytes.byteLength;
    files.set(file.id, file);
  }
  return files;
}

/** The part of the workspace that outlives the process: no open forms, triggers, uploads or ephemeral messages. */
export function toSaved(state: State, nowMs: number): Saved {
  const messages = keptMessages(state);
  const files = keptFiles(messages);
  const isFresh = ({ madeMs }: { readonly madeMs: number }): boolean => nowMs - madeMs <= times.responseUrl.ms;
  return {
    version: 1,
    users: [...state.users.values()].filter((user) => !user.isBot).map((user) => ({ ...user })),
    channels: [...state.channels.values()].map(({ members, sharedWith, ...channel }) => ({
      ...channel,
      members: [...members],
      sharedWith: [...sharedWith],
    })),
    groups: [...state.groups.values()].map((group) => ({ ...group, users: [...group.users] })),
    files: [...files.values()].map(({ bytes, ...file }) => ({
      ...file,
      base64: Buffer.from(bytes).toString("base64"),
    })),
    messages: messages.map(({ revision: _revision, ephemeralTo: _to, blocks, ...message }) => ({
      ...message,
      blocks: [...blocks],
      files: message.files.filter(({ id }) => files.has(id)).map(({ id }) => id),
    })),
    homes: [...state.homes.values()].map(({ id, user, content, hash }) => ({ id, user, content, hash })),
    responseUrls: [...state.responseUrls]
      .filter(([, url]) => isFresh(url))
      .map(([id, { original, ...url }]) => ({ id, ...url, ...(original !== undefined && { original: original.ts }) })),
    reads: [...state.reads],
  };
}

function restoreMessages(state: State, saved: Saved): void {
  for (const { base64, ...file } of saved.files) {
    state.files.set(file.id, { ...file, bytes: Buffer.from(base64, "base64") });
  }
  const messages = saved.messages.toSorted((one, other) => (one.ts < other.ts ? -1 : 1));
  for (const { files, threadTs, isBroadcast, editedTs, isTombstone, ...message } of messages) {
    state.messages.push({
      ...message,
      files: files.flatMap((id) => state.files.get(id) ?? []),
      ...(threadTs !== undefined && { threadTs }),
      ...(isBroadcast !== undefined && { isBroadcast }),
      ...(editedTs !== undefined && { editedTs }),
      ...(isTombstone !== undefined && { isTombstone }),
      revision: 0,
    });
  }
}

/** Fills a new workspace with what was saved. */
export function restore(state: State, saved: Saved): void {
  for (const user of saved.users) state.users.set(user.id, user);
  for (const { members, sharedWith, ...channel } of saved.channels) {
    state.channels.set(channel.id, { ...channel, members: new Set(members), sharedWith: new Set(sharedWith) });
  }
  for (const group of saved.groups) state.groups.set(group.id, group);
  restoreMessages(state, saved);
  for (const { id, user, content, hash } of saved.homes) {
    const entered = initialState(objectsOf(content["blocks"]));
    const shown = { id, user, content, hash, state: entered, errors: {}, revision: 0, session: "" };
    state.homes.set(user, { ...shown, type: "home" });
  }
  for (const { id, original: ts, ...url } of saved.responseUrls) {
    const original = state.messages.find((message) => message.channel === url.channel && message.ts === ts);
    state.responseUrls.set(id, { ...url, original });
  }
  for (const [key, ts] of saved.reads) state.reads.set(key, ts);
}

/** The newest ts, after which the clock goes on even if the machine's clock was set back. */
export function newestTs(state: State): string {
  return state.messages.at(-1)?.ts ?? "0";
}
