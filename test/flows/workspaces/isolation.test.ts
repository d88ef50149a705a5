import { afterAll, beforeAll, expect, test } from "vitest";
import { readPolicy } from "../../../src/bot/policy/read-policy.ts";
import { BEGINNING } from "../../support/test-clock.ts";
import { deliver, form as formBody } from "../../support/deliver.ts";
import { type InstalledBot, installedBot } from "../../support/installed-bot.ts";
import { othersApprove } from "../../support/policies.ts";
import { event } from "../../bot/store/contract/bench.ts";
import { card, home, idOf } from "../../support/speak.ts";
import { newest } from "../../support/world.ts";

// Playground has requests, history, accounts, a bound channel and a service that the harbour doesn't have. People of the
// harbour try to see or change something of it: by commands, and by payloads as Slack signs them for the harbour.

let bot: InstalledBot;
let waiting: string;
let done: string;
let before: string;

/** Words that only the playground has. An id that somebody types comes back to them, so it isn't here. */
const theirs = /secret-shop|of-playground|\bdana\b|Dana Reyes|\balex\b|Alex Kim|sale begins/iu;

async function keptOfPlayground(): Promise<string> {
  const { teamId, developer } = bot.playground;
  const store = bot.store();
  return JSON.stringify([
    await store.find({ id: waiting }),
    await store.find({ id: done }),
    await store.impliedFor({ teamId, userId: developer.id, channelId: developer.channelId("ops") }),
    await store.bindingOf(teamId, developer.channelId("ops")),
    (await store.history({ teamId, limit: 50 })).map(({ kind, result }) => [kind, result]),
    await store.callsOn({ teamId, username: "of-playground", day: BEGINNING.toISOString().slice(0, 10) }),
  ]);
}

beforeAll(async () => {
  bot = await installedBot({ policy: () => readPolicy(othersApprove, "policy.yaml") });
  const { playground, harbour, accounts } = bot;
  await bot.sets(playground, accounts.playground);
  await bot.sets(harbour, accounts.harbour);
  await bot.createService(accounts.playground, "secret-shop");
  await bot.says(playground.developer, "/gantry list");
  const binding = { region: "beijing1", account: "of-playground", isLocked: false };
  const boundBy = { userId: playground.developer.id, name: "Dana Reyes" };
  const channel = { teamId: playground.teamId, channelId: playground.developer.channelId("ops") };
  await bot.store().bind(channel, { ...binding, boundBy }, event("bound", { teamId: playground.teamId, who: boundBy }));
  await bot.says(playground.developer, '/gantry restart secret-shop --reason "the sale begins"');
  done = idOf(card(playground.developer));
  await bot.clicks(playground.approver, "Approve");
  await bot.says(playground.developer, '/gantry stop secret-shop --reason "the sale begins"');
  waiting = idOf(card(playground.developer));
  await bot.sweep();
  before = await keptOfPlayground();
});

afterAll(() => bot[Symbol.asyncDispose]());

type Attempt = readonly [what: string, attempt: () => Promise<string>];

const says = (words: (ids: { readonly waiting: string; readonly done: string }) => string): Attempt[1] => {
  return () => bot.says(bot.harbour.approver, `/gantry ${words({ waiting, done })}`);
};

const typed: readonly Attempt[] = [
  ["approve its request", says((ids) => `approve ${ids.waiting}`)],
  ["reject its request", says((ids) => `reject ${ids.waiting} --reason no`)],
  ["cancel its request", says((ids) => `cancel ${ids.waiting}`)],
  [
    "find its request by most of its id",
    says((ids) => `approve ${ids.waiting.slice(0, 5)}${ids.waiting.endsWith("0") ? "1" : "0"}`),
  ],
  ["list its requests", says(() => "pending")],
  ["read its history", says(() => "history")],
  ["read all of its history", says(() => "history all")],
  ["see its services in a list", says(() => "list")],
  ["see its services in a filtered list", says(() => "list shop")],
  ["hear its names as suggestions", says(() => "show ecret-sho")],
  ["hear its names when it stops one", says(() => "stop ecret-sho")],
  ["read its logs", says(() => "logs ecret-shop")],
  ["ask why it fails", says(() => "why ecret-shop")],
  ["ask who may there", says(() => "can-i restart web")],
  ["see its account", says(() => "whoami")],
  ["see its channel's settings", says(() => "use")],
  ["see it in the status", says(() => "status")],
  ["undo its request", says((ids) => `undo ${ids.done}`)],
  ["take its account from it", says(() => "disconnect channel")],
  ["see the versions with its address", says(() => "version")],
  ["see it on Home", () => homeOfHarbour()],
];

async function homeOfHarbour(): Promise<string> {
  await bot.harbour.developer.opensHome();
  await bot.settled();
  return home(bot.harbour.developer);
}

/** A payload that Slack signs for the harbour; gives the answer and what the person sees last. */
async function signed(payload: object): Promise<string> {
  const { teamId, approver } = bot.harbour;
  const user = { id: approver.id, username: "hugo", name: "hugo", team_id: teamId };
  const common = { team: { id: teamId, domain: "harbour" }, user, trigger_id: `${Math.random()}.1` };
  const body = formBody({ payload: JSON.stringify({ ...common, ...payload }) });
  const { text } = await deliver({ signingSecret: bot.slack.signingSecret, botUrl: bot.url }, { body });
  await bot.settled();
  return `${text}\n${newest(approver)}`;
}

function click(action: string, value: () => string): Attempt[1] {
  return () => {
    const channel = bot.harbour.approver.channelId("ops");
    const container = { type: "message", channel_id: channel, message_ts: "1.1" };
    return signed({
      type: "block_actions",
      channel: { id: channel, name: "ops" },
      container,
      message: { ts: "1.1" },
      actions: [{ action_id: action, block_id: "b", action_ts: "1.1", type: "button", value: value() }],
    });
  };
}

/** As if a form of the playground could be sent from the harbour: its metadata name the playground. */
function sends(callbackId: string, metadata: object, values: Readonly<Record<string, string>>): Attempt[1] {
  return () => {
    const { teamId, developer } = bot.playground;
    const origin = { userId: developer.id, teamId, channelId: developer.channelId("ops") };
    const fields = Object.entries(values).map(([id, value]) => [id, { [id]: { type: "plain_text_input", value } }]);
    return signed({
      type: "view_submission",
      view: {
        id: "V1",
        type: "modal",
        callback_id: callbackId,
        private_metadata: JSON.stringify({ ...metadata, changeId: waiting, origin }),
        state: { values: Object.fromEntries(fields) },
        blocks: [],
      },
    });
  };
}

function searches(picker: string, value: string): Attempt[1] {
  return () => signed({ type: "block_suggestion", action_id: picker, block_id: "b", value });
}

const stolen = { username: "of-harbour", token: "token-that-only-the-harbour-has-0002" };

const forged: readonly Attempt[] = [
  ["approve on a card", click("change:approve", () => waiting)],
  ["approve beside a card", click("change:approve:beside", () => waiting)],
  ["cancel on a card", click("change:cancel", () => waiting)],
  ["open the form that rejects", click("change:reject", () => waiting)],
  ["undo what is done", click("change:undo", () => done)],
  ["request it again", click("change:again", () => done)],
  ["look at its workload", click("change:show", () => waiting)],
  ["look at its logs", click("change:logs", () => waiting)],
  ["look by the menu", click("change:look", () => `show ${waiting}`)],
  ["reject by a form of it", sends("change:reject", {}, { reason: "no" })],
  ["connect its workspace's account by a form of it", sends("account:connect", { whose: "workspace" }, stolen)],
  ["connect its channel's account by a form of it", sends("account:connect", { whose: "channel" }, stolen)],
  ["connect a person's account by a form of it", sends("account:connect", { whose: "mine" }, stolen)],
  ["pick its service", searches("pick:service", "secret")],
  ["pick any of its workloads", searches("pick:any", "shop")],
  ["pick its request", searches("pick:change", "")],
];

test.each([...typed, ...forged])("the harbour can't %s", async (_what, attempt) => {
  const seen = await attempt();

  expect(seen).not.toMatch(theirs);
  expect(await keptOfPlayground()).toBe(before);
});

test("the playground itself sees all of that, so the attempts would notice", async () => {
  const { developer, approver } = bot.playground;
  const seen = [
    await bot.says(developer, "/gantry pending"),
    await bot.says(developer, "/gantry history"),
    await bot.says(developer, "/gantry show ecret-sho"),
    await bot.says(developer, "/gantry whoami"),
    await bot.says(approver, `/gantry cancel ${done}`),
  ];

  expect(seen.filter((text) => !theirs.test(text))).toEqual([]);
});
