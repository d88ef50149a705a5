import type { UsersListResponse } from "@slack/web-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SmallWorld, startSmallWorld } from "../support/small-world.ts";

// Through the real SDK: its requests must be accepted, its answers complete.

let world: SmallWorld;
beforeAll(async () => {
  world = await startSmallWorld();
});
afterAll(async () => {
  await world.stop();
});

const dana = () => world.playground.as("dana");

test("the SDK learns who it is, and its scopes", async () => {
  const answer = await world.web.auth.test();

  expect(answer).toMatchObject({ ok: true, user_id: "U0BOT", bot_id: "B0BOT", team_id: "T0PLAYGR", user: "gantry" });
  expect(answer.response_metadata?.scopes).toContain("chat:write");
});

test("a posted message is seen, changed, linked and deleted", async () => {
  const posted = await world.post({ channel: "#ops", text: "one", blocks: [{ type: "divider" }] });
  const ts = posted.ts ?? "";
  const link = await world.web.chat.getPermalink({ channel: "C0OPS", message_ts: ts });
  const updated = await world.web.chat.update({ channel: "C0OPS", ts, text: "two", blocks: [] });
  const seen = dana().sees().at(-1);
  await world.web.chat.delete({ channel: "C0OPS", ts });

  expect(posted.message?.blocks?.[0]?.block_id).toMatch(/./);
  expect(link.permalink).toBe(`${world.url}/archives/C0OPS/p${ts.replace(".", "")}`);
  expect(updated.text).toBe("two");
  expect(seen).toMatchObject({ ts, author: "gantry", text: "two", isEdited: true });
  expect(dana().sees()).toEqual([]);
});

test("an update without blocks keeps them", async () => {
  const { ts = "" } = await world.post({
    channel: "C0OPS",
    text: "one",
    blocks: [{ type: "divider" }],
  });
  await world.web.chat.update({ channel: "C0OPS", ts, text: "two" });

  expect(dana().sees().at(-1)).toMatchObject({ text: "────────", notification: "two" });
});

test("an ephemeral message is seen by its reader alone", async () => {
  await world.web.chat.postEphemeral({ channel: "C0OPS", user: "U0OMAR", text: "only omar" });

  expect(world.playground.as("omar").sees().at(-1)).toMatchObject({ text: "only omar", isEphemeral: true });
  expect(
    dana()
      .sees()
      .map((seen) => seen.text),
  ).not.toContain("only omar");
  expect(world.playground.messages("ops").map((message) => message.text)).not.toContain("only omar");
});

test("a file goes up with filesUploadV2 and lands in its thread", async () => {
  const { ts = "" } = await world.post({ channel: "C0OPS", text: "logs" });
  await world.web.filesUploadV2({
    channel_id: "C0OPS",
    thread_ts: ts,
    filename: "web.log",
    title: "web",
    content: "línea 1\nlínea 2\n",
    initial_comment: "all of it",
  });
  const thread = world.playground.messages("ops").find((message) => message.ts === ts);
  const seen = dana().sees().at(-1);
  const url = `${world.url}/files/${seen?.files[0]?.id ?? ""}`;
  const download = await fetch(url);

  expect(thread?.replies.map((reply) => reply.text)).toEqual(["all of it"]);
  expect(seen).toMatchObject({
    threadTs: ts,
    files: [{ name: "web.log", title: "web", size: 18, content: "línea 1\nlínea 2\n" }],
  });
  expect(await download.text()).toBe("línea 1\nlínea 2\n");
  expect(download.headers.get("content-disposition")).toContain("attachment");
});

test("people, channels and groups can be looked up", async () => {
  const gwen = await world.web.users.info({ user: "U0GWEN" });
  const members = await world.web.conversations.members({ channel: "C0GENERAL" });
  const oncall = await world.web.usergroups.users.list({ usergroup: "S0ONCALL" });
  const groups = await world.web.usergroups.list({ include_users: true });

  expect(gwen.user).toMatchObject({ name: "gwen", is_restricted: true });
  expect(members.members).toEqual(["U0DANA", "U0ALEX", "U0OMAR"]);
  expect(oncall.users).toEqual(["U0OMAR", "U0ALEX"]);
  expect(groups.usergroups?.[0]).toMatchObject({ handle: "oncall", users: ["U0OMAR", "U0ALEX"] });
});

test("a list is paged through to its end", async () => {
  const names: (string | undefined)[] = [];
  for await (const page of world.web.paginate("users.list", { limit: 2 })) {
    const { members = [] } = page as UsersListResponse; // paginate does not know which method it pages
    names.push(...members.map((member) => member.name));
  }

  expect(names).toEqual(["dana", "alex", "omar", "gwen", "slackbot", "gantry"]);
});

test("a message to a user's id lands in the direct conversation", async () => {
  await world.post({ channel: "U0ALEX", text: "psst" });

  expect(world.playground.as("alex").sees("@gantry").at(-1)?.text).toBe("psst");
  expect(dana().sees("@gantry")).toEqual([]);
});

test("a private channel the bot is not in does not exist for it", async () => {
  const asked = world.web.conversations.members({ channel: "C0INCIDENTS" });

  await expect(asked).rejects.toMatchObject({ data: { ok: false, error: "channel_not_found" } });
});

test("a body that is no JSON is refused and noted", async () => {
  const headers = { "content-type": "application/json", authorization: "Bearer xoxb-for-tests" };
  const answer = await fetch(`${world.url}/api/auth.test`, { method: "POST", headers, body: "{" });

  expect(await answer.json()).toEqual({ ok: false, error: "invalid_json" });
  expect(world.playground.transcript().at(-1)).toMatchObject({
    kind: "auth.test",
    refusal: { rule: "method.arguments" },
  });
});

test("tokens are not kept in the transcript", async () => {
  await world.call("auth.test", { token: "xoxb-for-tests" });

  expect(world.playground.transcript().at(-1)).toMatchObject({ kind: "auth.test", answer: { ok: true } });
  expect(JSON.stringify(world.playground.transcript())).not.toContain("xoxb-");
});

test("the bot lists the channels it is in, and those it shares with a person", async () => {
  world.playground.people.invite("incidents", "gantry");
  const types = "public_channel,private_channel";
  const own = await world.web.users.conversations({ types });
  const publicOnly = await world.web.users.conversations({});
  const withOmar = await world.web.users.conversations({ types, user: "U0OMAR" });
  world.playground.people.archive("ops");
  const open = await world.web.users.conversations({ types, exclude_archived: true });
  const names = ({ channels = [] }: { channels?: { name?: string }[] }) => channels.map(({ name }) => name);

  expect(names(own)).toEqual(["ops", "incidents"]);
  expect(names(publicOnly)).toEqual(["ops"]);
  expect(names(withOmar)).toEqual(["ops", "general"]);
  expect(names(open)).toEqual(["incidents"]);
});
