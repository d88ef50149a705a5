import type { Row, Steps } from "./steps.ts";
import type { SmallWorld } from "../../support/small-world.ts";

/** Lists the user groups this many times (tier 2: 20 calls in a minute). */
async function callsGroups(world: SmallWorld, times: number): Promise<void> {
  world.playground.faults.enforcesRateTiers = true;
  for (let call = 0; call < times; call += 1) await world.call("usergroups.list", {});
  world.playground.faults.clear();
}

/** Posts so many messages to a channel that had none for a while. */
async function postsAtOnce(world: SmallWorld, messages: number): Promise<void> {
  world.pass(60_000);
  for (let sent = 0; sent < messages; sent += 1) await world.call("chat.postMessage", { channel: "C0OPS", text: "x" });
}

/** For each rule about methods: a step that keeps it and one that breaks it. */
export function methodRows(steps: Steps) {
  const { world, poor, message, upload } = steps;
  const complete = (files: readonly object[]) =>
    world.call("files.completeUploadExternal", { files, channel_id: "C0OPS" });
  return {
    "group.known": {
      error: "no_such_subteam",
      kept: () => world.call("usergroups.users.list", { usergroup: "S0ONCALL" }),
      broken: () => world.call("usergroups.users.list", { usergroup: "S404" }),
    },
    "list.page": {
      error: "invalid_limit",
      kept: () => world.call("users.list", { limit: 999 }),
      broken: () => world.call("users.list", { limit: 1000 }),
    },
    "method.known": {
      error: "unknown_method",
      kept: () => world.call("auth.test", {}),
      broken: () => world.call("auth.tset", {}),
    },
    "method.rate": {
      error: "ratelimited",
      kept: () => callsGroups(world, 20),
      broken: () => callsGroups(world, 21),
    },
    "message.pace": {
      error: "ratelimited",
      kept: () => postsAtOnce(world, 20),
      broken: () => postsAtOnce(world, 21),
    },
    "method.arguments": {
      error: "invalid_arguments",
      kept: () => message({ unfurl_links: false }),
      broken: () => message({ unfurl_link: false }),
    },
    "auth.token": {
      error: "invalid_auth",
      kept: () => world.call("auth.test", {}),
      broken: () => world.call("auth.test", {}, "xoxb-wrong"),
    },
    "auth.scope": {
      error: "missing_scope",
      kept: () => poor.call("chat.postMessage", { channel: "C0OPS", text: "x" }),
      broken: () => poor.call("users.info", { user: "U0DANA" }),
    },
    "upload.allowed": {
      error: "file_uploads_disabled",
      kept: () => upload("abc"),
      async broken() {
        world.playground.faults.refusesUploads = true;
        await world.call("files.getUploadURLExternal", { filename: "a.txt", length: 3 });
        world.playground.faults.clear();
      },
    },
    "file.upload": { error: "file_upload_size_mismatch", kept: () => upload("abc"), broken: () => upload("abcd") },
    "file.known": {
      error: "file_not_found",
      kept: async () => complete([{ id: await upload("abc") }]),
      broken: async () => {
        const files = [{ id: await upload("abc") }];
        await complete(files);
        return complete(files);
      },
    },
  } satisfies Record<string, Row>;
}
