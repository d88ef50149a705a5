import type { JsonObject } from "../../json.ts";
import type { Message, SharedFile } from "../../workspace/state.ts";
import { appId } from "../../workspace/seeds.ts";
import { isOutsider } from "../../workspace/workspace.ts";
import { isBots, type World } from "../../world.ts";

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

/** The team fields of a message; people of another organization have more of them. */
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
