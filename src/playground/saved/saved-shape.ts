import { z } from "zod";
import { isObject, type JsonObject } from "../json.ts";

// The saved workspace. An older file that lacks something, or has something else in its place, counts as damaged.

/** Blocks and views come from JSON text, so an object holds nothing but JSON. */
const Content = z.custom<JsonObject>(isObject);

const User = z.object({
  id: z.string(),
  name: z.string(),
  realName: z.string(),
  role: z.string(),
  isBot: z.boolean(),
  isGuest: z.boolean(),
  isAdmin: z.boolean().default(false),
  teamId: z.string(),
  isTeamHidden: z.boolean(),
  isDeactivated: z.boolean(),
  isSignedOut: z.boolean(),
});

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

const Message = z.object({
  ts: z.string().regex(/^\d+\.\d{6}$/u),
  channel: z.string(),
  user: z.string(),
  text: z.string(),
  blocks: z.array(Content),
  attachments: z.array(Content),
  /** Ids of saved files. */
  files: z.array(z.string()),
  threadTs: z.string().optional(),
  isBroadcast: z.boolean(),
  editedTs: z.string().optional(),
  isMrkdwn: z.boolean(),
  parsesNames: z.boolean(),
  metadata: Content.optional(),
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
  users: z.array(User),
  channels: z.array(Channel),
  groups: z.array(Group),
  files: z.array(SavedFile),
  messages: z.array(Message),
  homes: z.array(Home),
  responseUrls: z.array(SavedResponseUrl),
  /** The read marks by person and conversation. */
  reads: z.array(z.tuple([z.string(), z.string()])),
});
export type Saved = z.infer<typeof Saved>;
