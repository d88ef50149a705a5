import { checkContent, type Content } from "../../check/blocks.ts";
import { type JsonObject, textOf, isList, isObject } from "../../json.ts";
import { refuse, Refused } from "../../rules/rules.ts";
import type { Message, SharedFile, Upload } from "../../workspace/state.ts";
import { withIds, newId, isOutsider } from "../../workspace/workspace.ts";
import { post, remove, touch, type World, isBots } from "../../world.ts";
import {
  activeThread,
  joinedChannel,
  type Kind,
  knownChannel,
  type Methods,
  ownMessage,
  publicMessage,
  threadOf,
} from "./method.ts";
import { appId } from "../../workspace/seeds.ts";

const content: Readonly<Record<string, Kind>> = { text: "text", blocks: "json" };

function postMessage(world: World, args: JsonObject): JsonObject {
  const channel = joinedChannel(world, textOf(args["channel"]));
  const message = post(world, {
    ...checkContent(args, { textLimit: "message.text", summed: true }),
    channel: channel.id,
    user: world.state.bot.user,
    threadTs: threadOf(world, channel, textOf(args["thread_ts"])),
    isBroadcast: args["reply_broadcast"] === true,
  });
  return { channel: channel.id, ts: message.ts, message: messageJson(world, message) };
}

function postEphemeral(world: World, args: JsonObject): JsonObject {
  const channel = joinedChannel(world, textOf(args["channel"]));
  const user = textOf(args["user"]);
  if (!channel.members.has(user) || world.state.users.get(user)?.isDeactivated === true)
    refuse("user_not_in_channel", "user.in-channel", `${user} is not in #${channel.name}`);
  const checked = checkContent(args, { textLimit: "message.text", summed: true });
  const message = post(world, {
    ...checked,
    channel: channel.id,
    user: world.state.bot.user,
    threadTs: activeThread(world, channel, textOf(args["thread_ts"])),
    ephemeralTo: user,
  });
  return { message_ts: message.ts };
}

/** Changes a message. Omitted blocks stay; an empty list removes them. */
export function change(world: World, message: Message, checked: Content): void {
  message.text = checked.text;
  if (checked.blocks !== undefined) message.blocks = withIds(checked.blocks);
  message.editedTs = world.clock.ts();
  touch(world, message);
}

function update(world: World, args: JsonObject): JsonObject {
  const message = ownMessage(world, args, "cant_update_message");
  change(world, message, checkContent(args, { textLimit: "update.text", summed: true }));
  return { channel: message.channel, ts: message.ts, text: message.text, message: messageJson(world, message) };
}

const scopes = ["chat:write"];

export const chat: Methods = {
  "chat.postMessage": {
    scopes,
    required: { channel: "text" },
    optional: {
      ...content,
      thread_ts: "text",
      reply_broadcast: "flag",
      unfurl_links: "flag",
      unfurl_media: "flag",
    },
    run: postMessage,
  },
  "chat.postEphemeral": {
    scopes,
    required: { channel: "text", user: "text" },
    optional: { ...content, thread_ts: "text" },
    run: postEphemeral,
  },
  "chat.update": {
    scopes,
    required: { channel: "text", ts: "text" },
    optional: content,
    run: update,
  },
  "chat.delete": {
    scopes,
    required: { channel: "text", ts: "text" },
    optional: {},
    run(world, args) {
      const message = ownMessage(world, args, "cant_delete_message");
      remove(world, message);
      return { channel: message.channel, ts: message.ts };
    },
  },
  "chat.getPermalink": {
    scopes: [],
    required: { channel: "text", message_ts: "text" },
    optional: {},
    run(world, args) {
      const channel = knownChannel(world, textOf(args["channel"]));
      const { ts } = publicMessage(world, channel, textOf(args["message_ts"]));
      return { channel: channel.id, permalink: `${world.url()}/archives/${channel.id}/p${ts.replace(".", "")}` };
    },
  },
};

function getUploadUrl(world: World, args: JsonObject): JsonObject {
  if (world.faults.refusesUploads) refuse("file_uploads_disabled", "upload.allowed", "the workspace allows none");
  const length = args["length"];
  if (typeof length !== "number" || !Number.isInteger(length) || length < 1) {
    throw new Refused("invalid_arguments", [
      { rule: "method.arguments", at: "/length", message: "must be a whole number from 1" },
    ]);
  }
  const upload: Upload = { id: newId("F"), name: textOf(args["filename"]), length, isComplete: false };
  world.state.uploads.set(upload.id, upload);
  return { upload_url: `${world.url()}/upload/${upload.id}`, file_id: upload.id };
}

function share(world: World, upload: Upload, title: string): SharedFile {
  const file: SharedFile = {
    id: upload.id,
    name: upload.name,
    title: title === "" ? upload.name : title,
    bytes: upload.bytes ?? new Uint8Array(),
    createdMs: world.clock.nowMs(),
  };
  upload.isComplete = true;
  world.state.files.set(file.id, file);
  return file;
}

/** Gantry uploads one file at a time. */
function complete(world: World, args: JsonObject): JsonObject {
  const [wanted, ...others] = isList(args["files"]) ? args["files"] : [];
  if (!isObject(wanted) || others.length > 0) {
    throw new Refused("invalid_arguments", [
      { rule: "method.arguments", at: "/files", message: "must be a list of one object with an id" },
    ]);
  }
  const id = textOf(wanted["id"]);
  const upload = world.state.uploads.get(id);
  if (upload?.bytes === undefined) refuse("file_not_found", "file.known", `no uploaded file ${id}`);
  if (upload.isComplete) refuse("file_not_found", "file.known", `file ${id} is completed already`);
  const channel = joinedChannel(world, textOf(args["channel_id"]));
  const threadTs = threadOf(world, channel, textOf(args["thread_ts"]));
  const file = share(world, upload, textOf(wanted["title"]));
  const text = textOf(args["initial_comment"]);
  post(world, { channel: channel.id, user: world.state.bot.user, text, files: [file], threadTs });
  return { files: [fileJson(world, file)] };
}

/** Receives the bytes for an upload_url; throws Refused if they differ from the announced length. */
export function receive(world: World, id: string, bytes: Uint8Array): void {
  const upload = world.state.uploads.get(id);
  if (upload === undefined || upload.bytes !== undefined)
    refuse("file_not_found", "file.upload", `no open upload ${id}`);
  if (bytes.byteLength !== upload.length) {
    refuse("file_upload_size_mismatch", "file.upload", `announced ${upload.length} bytes, got ${bytes.byteLength}`);
  }
  upload.bytes = bytes;
}

export const files: Methods = {
  "files.getUploadURLExternal": {
    scopes: ["files:write"],
    required: { filename: "text", length: "number" },
    optional: {},
    run: getUploadUrl,
  },
  "files.completeUploadExternal": {
    scopes: ["files:write"],
    required: { files: "json", channel_id: "text" },
    optional: { thread_ts: "text", initial_comment: "text" },
    run: complete,
  },
};

/** A file object: https://docs.slack.dev/reference/objects/file-object */
export function fileJson(world: World, file: SharedFile): JsonObject {
  const type = file.name.includes(".") ? file.name.slice(file.name.lastIndexOf(".") + 1) : "text";
  return {
    id: file.id,
    name: file.name,
    title: file.title,
    size: file.bytes.byteLength,
    created: Math.floor(file.createdMs / 1000),
    filetype: type,
    mode: "hosted",
    user: world.state.bot.user,
    url_private: `${world.url()}/files/${file.id}`,
    url_private_download: `${world.url()}/files/${file.id}`,
    permalink: `${world.url()}/files/${file.id}`,
  };
}

/**
 * The team fields of a message; people of another organization have more of them:
 * https://docs.slack.dev/apis/slack-connect
 */
export function teamsOf(world: World, message: Message): JsonObject {
  const user = world.state.users.get(message.user);
  if (user === undefined || !isOutsider(world.state, user)) return { team: world.state.team.id };
  return { team: user.teamId, user_team: user.teamId, source_team: user.teamId };
}

/** A message in payloads and answers: https://docs.slack.dev/reference/objects/message-object */
export function messageJson(world: World, message: Message): JsonObject {
  const byBot = isBots(world, message) ? { bot_id: world.state.bot.id, app_id: appId } : {};
  return {
    type: "message",
    ...(message.isTombstone === true && { subtype: "tombstone", hidden: true }),
    ...(message.isBroadcast === true && { subtype: "thread_broadcast" }),
    user: message.user,
    ...teamsOf(world, message),
    ts: message.ts,
    text: message.text,
    ...byBot,
    ...(message.blocks.length === 0 ? {} : { blocks: message.blocks }),
    ...(message.files.length === 0 ? {} : { files: message.files.map((file) => fileJson(world, file)) }),
    ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
    ...(message.editedTs === undefined ? {} : { edited: { user: message.user, ts: message.editedTs } }),
  };
}
