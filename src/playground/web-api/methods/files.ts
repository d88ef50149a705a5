import type { SharedFile, Upload } from "../../workspace/state.ts";
import { newId } from "../../workspace/workspace.ts";
import { isList, isObject, type JsonObject, objectsOf, textOf } from "../../json.ts";
import { refuse, Refused } from "../../rules/refusal.ts";
import { post, type World } from "../../world.ts";
import { fileJson } from "./message-json.ts";
import { joinedChannel, type Methods, threadOf } from "./method.ts";

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

function complete(world: World, args: JsonObject): JsonObject {
  const wanted = args["files"];
  if (!isList(wanted) || wanted.length === 0 || !wanted.every(isObject)) {
    throw new Refused("invalid_arguments", [
      { rule: "method.arguments", at: "/files", message: "must be a list of objects with an id" },
    ]);
  }
  const uploads = objectsOf(wanted).map((file) => {
    const id = textOf(file["id"]);
    const upload = world.state.uploads.get(id);
    if (upload?.bytes === undefined) refuse("file_not_found", "file.known", `no uploaded file ${id}`);
    if (upload.isComplete) refuse("file_not_found", "file.known", `file ${id} is completed already`);
    return { upload, title: textOf(file["title"]) };
  });
  const channel = joinedChannel(world, textOf(args["channel_id"]));
  const threadTs = threadOf(world, channel, textOf(args["thread_ts"]));
  const files = uploads.map(({ upload, title }) => share(world, upload, title));
  const text = textOf(args["initial_comment"]);
  post(world, { channel: channel.id, user: world.state.bot.user, text, files, threadTs });
  return { files: files.map((file) => fileJson(world, file)) };
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
