import { describe, expect, test } from "vitest";
import type { WireMessage } from "../../../../src/playground/wire.ts";
import {
  applyUpdate,
  channelMessages,
  emptyWorkspace,
  repliesOf,
  type Workspace,
} from "../../../../src/playground/page/app/workspace.ts";
import { exchange, message, update } from "../../support/wire-samples.ts";

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

  test("replies are in their thread, and in the channel only when they were sent there, too", () => {
    const broadcast = message("3", { threadTs: "1", isBroadcast: true });
    const workspace = withMessages(message("1"), message("2", { threadTs: "1" }), broadcast);

    expect(channelMessages(workspace, "C0OPS").map((each) => each.ts)).toEqual(["1", "3"]);
    expect(repliesOf(workspace, "C0OPS", "1").map((each) => each.ts)).toEqual(["2", "3"]);
  });
});
