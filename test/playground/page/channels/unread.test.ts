import { describe, expect, test } from "vitest";
import type { WireMessage } from "../../../../src/playground/wire.ts";
import {
  applyUpdate,
  emptyWorkspace,
  firstUnread,
  hasUnreadReplies,
  unreadIn,
  type Workspace,
} from "../../../../src/playground/page/app/workspace.ts";
import { message, snapshot, update } from "../../support/wire-samples.ts";

const withMessages = (...messages: readonly WireMessage[]): Workspace =>
  applyUpdate(emptyWorkspace, update({ messages }));

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
    ["after the last one that was read", { after: "1", upTo: "3" }, "2"],
    ["nowhere, when all was read", { after: "3", upTo: "3" }, undefined],
    ["nowhere, for messages that arrive while one reads", { after: "2", upTo: "2" }, undefined],
    ["nowhere, in a channel never opened", { after: "", upTo: "3" }, undefined],
  ])("the line New is %s", (_where, notRead, expected) => {
    expect(firstUnread([message("1"), message("2"), message("3")], "U0DANA", notRead)).toBe(expected);
  });
});
