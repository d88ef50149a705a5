import { expect, test } from "vitest";
import { accountOf, type Action, actionFor, decodeAction, encodeAction } from "../../../src/bot/views/kit/action-id.ts";
import { actions, askButton, section } from "../../../src/bot/views/kit/blocks.ts";
import { type Message, messageFor, post } from "../../../src/bot/views/kit/post.ts";

/** Messages in channels keep these ids for years: none of them may change its text or its meaning. */
const posted: readonly (readonly [id: string, action: Action])[] = [
  ["change:approve", { kind: "request", act: "approve", isBeside: false }],
  ["change:reject", { kind: "request", act: "reject", isBeside: false }],
  ["change:cancel", { kind: "request", act: "cancel", isBeside: false }],
  ["change:undo", { kind: "request", act: "undo", isBeside: false }],
  ["change:again", { kind: "request", act: "again", isBeside: false }],
  ["change:show", { kind: "request", act: "show", isBeside: false }],
  ["change:logs", { kind: "request", act: "logs", isBeside: false }],
  ["change:look", { kind: "request", act: "look", isBeside: false }],
  ["change:approve:beside", { kind: "request", act: "approve", isBeside: true }],
  ["change:cancel:beside", { kind: "request", act: "cancel", isBeside: true }],
  ["change:undo:beside", { kind: "request", act: "undo", isBeside: true }],
  ["run:0", { kind: "run", at: 0 }],
  ["run:4", { kind: "run", at: 4 }],
  ["run:cancel", { kind: "dismiss" }],
  ["ask:0", { kind: "read", at: 0 }],
  ["ask:24", { kind: "read", at: 24 }],
  ["ask:beside:list", { kind: "readBeside", verb: "list" }],
  ["pick:service", { kind: "pick", of: "service" }],
  ["pick:job", { kind: "pick", of: "job" }],
  ["pick:any", { kind: "pick", of: "any" }],
  ["pick:instance", { kind: "pick", of: "instance" }],
  ["pick:region", { kind: "pick", of: "region" }],
  ["pick:change", { kind: "pick", of: "change" }],
  ["home:refresh", { kind: "home", act: "refresh" }],
  ["home:region", { kind: "home", act: "region" }],
  ["home:do", { kind: "home", act: "do" }],
  ["home:connect", { kind: "home", act: "connect" }],
  ["home:previous", { kind: "home", act: "previous" }],
  ["home:next", { kind: "home", act: "next" }],
  ["home:workload", { kind: "home", act: "workload" }],
  ["form:open:scale", { kind: "openForm", verb: "scale" }],
  ["form:menu", { kind: "formMenu" }],
  ["form:more", { kind: "moreSettings" }],
  ["alert:take", { kind: "alert", act: "take" }],
  ["alert:handOver", { kind: "alert", act: "handOver" }],
  ["alert:leave", { kind: "alert", act: "leave" }],
  ["link", { kind: "link" }],
];

test.each(posted)("%s keeps its text and its meaning", (id, action) => {
  expect(decodeAction(id)).toEqual(action);
  expect(encodeAction(action)).toBe(id);
});

test.each([
  "",
  ":",
  "change",
  "change:",
  "change:frobnicate",
  "change:approve:",
  "change:approve:twice",
  "change:approve:beside:twice",
  "run",
  "run:",
  "run:-1",
  "run:1e3",
  "run:99999999999999999999",
  "ask",
  "ask:x",
  "ask:beside",
  "pick:",
  "pick:pods",
  "home:toString",
  "form:",
  "form:close",
  "form:open",
  "link:1",
  "__proto__",
  "old:1",
  "change:approve\n",
  "🚨",
])("%j is no action, and no error", (id) => {
  expect(decodeAction(id)).toBeUndefined();
});

test.each(["dana-own", "dana@example.org", "50%41", "größe"])(
  "an element acts for the account %s, as it is",
  (account) => {
    expect(accountOf(actionFor("ask:0", account))).toBe(account);
    expect(accountOf(actionFor(actionFor("ask:0", account), "alex"))).toBe(account);
    expect(actionFor("link", account)).toBe("link");
  },
);

/** The accounts that the buttons of a message act for. */
function accountsIn(blocks: Message["blocks"]): readonly (string | undefined)[] {
  return blocks.flatMap((block) =>
    block.type === "actions" ? block.elements.map(({ action_id: id = "" }) => accountOf(id)) : [],
  );
}

const restarts = [
  section("web runs"),
  ...actions(askButton("Show", { verb: "show", share: false, args: { name: "web" } })),
];

test("an answer acts for its account wherever it is posted: in its thread, and alone where the bot can't post", () => {
  const web = post("web runs", restarts);

  const { blocks, thread } = messageFor("dana-own", { ...web, thread: { replies: [web], files: [], alone: web } });

  const posted = [blocks, ...(thread?.replies ?? []).map((reply) => reply.blocks), thread?.alone.blocks ?? []];
  expect(posted.map(accountsIn)).toEqual([["dana-own"], ["dana-own"], ["dana-own"]]);
});

test("a button whose account doesn't fit into its id is left out, and its row with it: it would act for whoever clicks", () => {
  expect(messageFor("a".repeat(249), post("web runs", restarts)).blocks).toHaveLength(2);
  expect(messageFor("a".repeat(250), post("web runs", restarts)).blocks).toHaveLength(1);
});
