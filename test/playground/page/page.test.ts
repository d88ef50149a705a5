import { describe, expect, test } from "vitest";
import type { WireMessage } from "../../../src/playground/live/wire.ts";
import { accept, completionAt, usageOf } from "../../../src/playground/page/composer/completion.ts";
import { examplesOf } from "../../../src/playground/page/channels/example-commands.ts";
import { formatRoute, parseRoute, type Route, routeChannel } from "../../../src/playground/page/app/route.ts";
import { firstUnread, hasUnreadReplies, unreadIn } from "../../../src/playground/page/channels/unread.ts";
import {
  applyUpdate,
  channelMessages,
  emptyWorkspace,
  repliesOf,
  type Workspace,
} from "../../../src/playground/page/app/workspace.ts";
import { exchange, message, snapshot, update } from "../support/wire-samples.ts";

const withMessages = (...messages: readonly WireMessage[]): Workspace =>
  applyUpdate(emptyWorkspace, update({ messages }));

describe("the page's workspace", () => {
  test("messages are added in order, changed and removed", () => {
    const two = withMessages(message("2"), message("1"));
    const changed = applyUpdate(two, update({ messages: [message("1", { text: "new" }), message("3")] }));
    const gone = applyUpdate(changed, update({ gone: [{ channel: "C0OPS", ts: "2" }] }));

    expect(changed.messages["C0OPS"]?.map((each) => each.text)).toEqual(["new", "2", "3"]);
    expect(gone.messages["C0OPS"]?.map((each) => each.ts)).toEqual(["1", "3"]);
  });

  test("a complete update replaces it", () => {
    const before = withMessages(message("1", { isEphemeral: true }));
    const after = applyUpdate(before, update({ isWhole: true, messages: [message("2")] }));

    expect(after.messages["C0OPS"]?.map((each) => each.ts)).toEqual(["2"]);
  });

  test("an exchange gets its answer", () => {
    const asked = applyUpdate(emptyWorkspace, update({ exchanges: [exchange(1, null), exchange(2, null)] }));
    const answered = applyUpdate(asked, update({ exchanges: [exchange(1, 12)] }));

    expect(answered.exchanges.map(({ id, ms }) => [id, ms])).toEqual([
      [1, 12],
      [2, null],
    ]);
  });

  test("replies are in their thread, and in the channel if broadcast", () => {
    const workspace = withMessages(
      message("1"),
      message("2", { threadTs: "1" }),
      message("3", { threadTs: "1", isBroadcast: true }),
    );

    expect(channelMessages(workspace, "C0OPS").map((each) => each.ts)).toEqual(["1", "3"]);
    expect(repliesOf(workspace, "C0OPS", "1").map((each) => each.ts)).toEqual(["2", "3"]);
  });
});

describe("unread messages", () => {
  test.each([
    { what: "another's message", messages: [message("5")], reads: {}, expected: { isUnread: true, count: 0 } },
    {
      what: "one that was read",
      messages: [message("5")],
      reads: { C0OPS: "5" },
      expected: { isUnread: false, count: 0 },
    },
    {
      what: "one's own",
      messages: [message("5", { user: "U0DANA" })],
      reads: {},
      expected: { isUnread: false, count: 0 },
    },
    {
      what: "an ephemeral one",
      messages: [message("5", { isEphemeral: true })],
      reads: {},
      expected: { isUnread: false, count: 0 },
    },
    {
      what: "a reply",
      messages: [message("5", { threadTs: "1" })],
      reads: {},
      expected: { isUnread: false, count: 0 },
    },
    {
      what: "a mention",
      messages: [message("5", { text: "<@U0DANA> look" })],
      reads: {},
      expected: { isUnread: true, count: 1 },
    },
    {
      what: "a mention of all",
      messages: [message("5", { text: "<!here>" })],
      reads: {},
      expected: { isUnread: true, count: 1 },
    },
    {
      what: "a mention of another",
      messages: [message("5", { text: "<@U0ALEX>" })],
      reads: {},
      expected: { isUnread: true, count: 0 },
    },
  ])("$what", ({ messages, reads, expected }) => {
    expect(unreadIn(withMessages(...messages), { ...snapshot, reads }, "C0OPS")).toEqual(expected);
  });

  test("each direct message counts", () => {
    const workspace = withMessages(message("5", { channel: "D0BOT" }), message("6", { channel: "D0BOT" }));

    expect(unreadIn(workspace, snapshot, "D0BOT")).toEqual({ isUnread: true, count: 2 });
  });

  test("a thread has its own mark", () => {
    const root = message("1");
    const workspace = withMessages(root, message("5", { threadTs: "1" }));

    expect(hasUnreadReplies(workspace, snapshot, root)).toBe(true);
    expect(hasUnreadReplies(workspace, { ...snapshot, reads: { "C0OPS/1": "5" } }, root)).toBe(false);
  });

  test.each([
    ["after what was read", { after: "1", upTo: "3" }, "2"],
    ["nowhere, when all was read", { after: "3", upTo: "3" }, undefined],
    ["nowhere, for what comes while one looks", { after: "2", upTo: "2" }, undefined],
    ["nowhere, in a place never opened", { after: "", upTo: "3" }, undefined],
  ])("the line New stands %s", (_where, notRead, expected) => {
    expect(firstUnread([message("1"), message("2"), message("3")], "U0DANA", notRead)).toBe(expected);
  });
});

describe("the address", () => {
  test.each<readonly [string, Route]>([
    ["", { as: "dana", in: "ops" }],
    ["?as=alex", { as: "alex", in: "ops" }],
    ["?as=alex&in=@gantry&tab=home", { as: "alex", in: "@gantry", tab: "home" }],
    ["?as=dana&in=ops&thread=1.2", { as: "dana", in: "ops", thread: "1.2" }],
  ])("%s is parsed to a route and formatted back", (search, route) => {
    expect(parseRoute(search)).toEqual(route);
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  test.each([
    ["general", "C0GENERAL"],
    ["@gantry", "D0BOT"],
    ["a-channel-one-is-not-in", "C0OPS"],
  ])("%s is a channel", (name, id) => {
    expect(routeChannel(snapshot, { as: "dana", in: name })?.id).toBe(id);
  });
});

describe("suggestions of the composer", () => {
  test.each([
    ["/", ["/gantry", "/invite", "/remove", "New workload"]],
    ["/gan", ["/gantry"]],
    ["/new", ["New workload"]],
    ["/gantry ", []],
    ["say /gan", []],
    ["@", ["@dana", "@alex", "@gantry", "@oncall"]],
    ["hello @ga", ["@gantry"]],
    ["in #", ["#ops", "#general"]],
    ["mail@da", []],
    ["hello", []],
  ])("for %j", (text, labels) => {
    expect((completionAt(snapshot, text, text.length)?.offers ?? []).map((offer) => offer.label)).toEqual(labels);
  });

  test("an offer replaces the word before the caret, and nothing else", () => {
    const text = "hello @ga and bye";
    const completion = completionAt(snapshot, text, 9);

    expect(accept(text, 9, { from: completion?.from ?? 0, insert: "@gantry " })).toEqual({
      text: "hello @gantry and bye",
      caret: 14,
    });
  });

  test.each([
    ["/gantry ", "/gantry list · show NAME · create …"],
    ["/gantry show", "/gantry list · show NAME · create …"],
    ["/invite ", "/invite @name"],
    ["/gantry", ""],
    ["/other x", ""],
  ])("how %j is used", (text, usage) => {
    expect(usageOf(snapshot, text)).toBe(usage);
  });

  test("the examples come from the app's usage hint", () => {
    expect(examplesOf(snapshot)).toEqual(["/gantry list", "/gantry show", "/gantry create"]);
  });
});
