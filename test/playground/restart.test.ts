import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { mostMessages } from "../../src/playground/saved-workspace.ts";
import { actions, button, home, plain, section } from "./support/samples.ts";
import { type SmallWorld, startSmallWorld } from "./support/small-world.ts";

let dir: string;
let savedIn: string;
let world: SmallWorld;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "workspace-"));
  savedIn = join(dir, "data", "playground.json");
  world = await startSmallWorld({ savedIn });
});
afterEach(async () => {
  await world.stop();
  await rm(dir, { recursive: true, force: true });
});

async function restart(): Promise<void> {
  await world.stop();
  world = await startSmallWorld({ savedIn });
}

const dana = () => world.playground.as("dana");

test("messages, threads, files and edits are there after a restart; ephemeral messages are not, as in Slack", async () => {
  await dana().says("is web slow?");
  const [question] = dana().sees();
  await dana().edits(question?.ts ?? "", "is web slow today?");
  await world.post({ channel: "C0OPS", thread_ts: question?.ts ?? "", text: "looking", reply_broadcast: true });
  const file = { thread_ts: question?.ts ?? "", filename: "web.log", content: "all lines\n" };
  await world.web.filesUploadV2({ channel_id: "C0OPS", ...file });
  await world.call("chat.postEphemeral", { channel: "C0OPS", user: "U0DANA", text: "for dana" });
  await dana().says("hello", { channel: "@gantry" });
  await restart();

  expect(dana().sees()).toMatchObject([
    { ts: question?.ts, author: "dana", text: "is web slow today?", isEdited: true },
    { threadTs: question?.ts, author: "gantry", text: "looking", isBroadcast: true },
    { threadTs: question?.ts, files: [{ name: "web.log", content: "all lines\n" }] },
  ]);
  expect(dana().sees("@gantry")).toMatchObject([{ text: "hello" }]);
});

test("the buttons of an old card work, and the bot can change it by its ts", async () => {
  const card = { channel: "C0OPS", text: "card", blocks: [actions(button({ text: plain("Approve") }))] };
  const { ts = "" } = await world.post(card);
  await restart();
  await dana().clicks("Approve");

  expect(world.bot.last()).toMatchObject({ type: "block_actions", container: { message_ts: ts } });
  expect(await world.call("chat.update", { channel: "C0OPS", ts, text: "approved", blocks: [] })).toMatchObject({
    ok: true,
  });
  expect(dana().sees()).toMatchObject([{ ts, text: "approved" }]);
});

test("a new message comes after the old ones, though the machine's clock was set back", async () => {
  world.pass(3_600_000);
  await dana().says("before");
  await restart();
  await dana().says("after");

  expect(
    dana()
      .sees()
      .map(({ text }) => text),
  ).toEqual(["before", "after"]);
});

test("people, groups, memberships and archived channels stay as they were", async () => {
  const { people } = world.playground;
  people.addOutsider({ name: "robin", realName: "Robin Vale", channel: "ops" });
  people.leaveGroup("oncall", "omar");
  people.deactivate("gwen");
  people.setAdmin("dana", true);
  people.archive("general");
  await world.playground.as("robin").says("hi from elsewhere");
  await restart();

  expect(dana().sees()).toMatchObject([{ author: "robin", text: "hi from elsewhere" }]);
  const { users = [] } = await world.web.usergroups.users.list({ usergroup: "S0ONCALL" });
  expect(users).toEqual(["U0ALEX"]);
  expect((await world.web.users.info({ user: "U0DANA" })).user).toMatchObject({ is_admin: true });
  await expect(world.playground.as("gwen").says("hi")).rejects.toThrow("deactivated");
  await expect(dana().says("hi", { channel: "general" })).rejects.toThrow("archived");
});

test("the Home tab is there, and a late answer by response_url still arrives", async () => {
  await world.call("views.publish", { user_id: "U0DANA", view: home(section({ text: plain("your workloads") })) });
  world.bot.answer = () => undefined;
  await dana().says("/gantry list");
  const id = String(world.bot.last()["response_url"]).split("/").at(-1);
  await restart();

  expect(JSON.stringify(dana().home()?.content)).toContain("your workloads");
  await fetch(`${world.url}/response/${id}`, { method: "POST", body: '{"text":"late"}' });
  expect(dana().sees()).toMatchObject([{ text: "late", isEphemeral: true }]);
});

test("it is saved while it runs, so that a crash loses a moment at most", async () => {
  await dana().says("before the crash");

  world.pass(500);

  expect(await readFile(savedIn, "utf8")).toContain("before the crash");
  expect((await stat(savedIn)).mode & 0o077).toBe(0);
});

test.each(["", "not JSON", '{"version":1}', '{"version":2,"messages":[]}'])(
  "a damaged file (%j) doesn't stop a start: it is set aside, and a sentence says so",
  async (text) => {
    await dana().says("lost");
    await world.stop();
    await writeFile(savedIn, text);
    world = await startSmallWorld({ savedIn });

    expect(world.playground.notices).toEqual([
      `Couldn't read the saved messages of the simulated Slack, so its channels start empty. The file is now ${savedIn}.damaged.`,
    ]);
    expect(await readFile(`${savedIn}.damaged`, "utf8")).toBe(text);
    expect(dana().sees()).toEqual([]);
  },
);

test("a folder that can't be written is told once and stops nothing", async () => {
  await writeFile(join(dir, "file"), "");
  const told: string[] = [];
  const other = await startSmallWorld({
    savedIn: join(dir, "file", "playground.json"),
    onTrouble: (text) => told.push(text),
  });
  await other.playground.as("dana").says("hi");
  other.pass(500);
  await other.stop();

  expect(told).toEqual([expect.stringMatching(/^Couldn't save the messages of the simulated Slack: /u)]);
});

test("the oldest messages are dropped, together with their replies", async () => {
  const { ts = "" } = await world.post({ channel: "C0OPS", text: "oldest" });
  await world.post({ channel: "C0OPS", text: "x" });
  await world.stop();
  const saved = JSON.parse(await readFile(savedIn, "utf8")) as { messages: { ts: string }[] }; // written by the playground
  const [oldest, one] = saved.messages;
  const others = Array.from({ length: mostMessages - 1 }, (_, at) => ({
    ...one,
    ts: `${Number.parseInt(ts)}.${100_000 + at}`,
  }));
  await writeFile(savedIn, JSON.stringify({ ...saved, messages: [oldest, ...others] }));
  world = await startSmallWorld({ savedIn });
  await world.post({ channel: "C0OPS", thread_ts: ts, text: "reply to the oldest" });
  await restart();
  const texts = dana()
    .sees()
    .map(({ text }) => text);

  expect(texts.length).toBe(mostMessages - 1);
  expect(new Set(texts)).toEqual(new Set(["x"]));
});
