import fc from "fast-check";
import { expect, test } from "vitest";
import { limits, section } from "../../../../src/views/kit/blocks.ts";
import { post, withContextLine } from "../../../../src/views/kit/post.ts";
import { useMessage, type UseMessage } from "../../../../src/commands/verbs/use/message.ts";
import { cases } from "../../../support/full-run.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { hostileText } from "../../../views/support/hostile.ts";
import { expectFits } from "../../../views/support/judges.ts";

const here = { channelId: "C0OPS", command: "/gantry" };
const terms = { region: "beijing1", names: "shop-*", account: "team-ops", isLocked: true };
const binding = { ...terms, isLocked: false, boundBy: { userId: "U0DANA", name: "Dana Reyes" }, boundAt: new Date(0) };
const regions = ["beijing1", "beijing2"];

test("what a channel is bound to, in each case", () => {
  const messages: UseMessage[] = [
    { kind: "bound", by: "Dana Reyes", terms, regions, ...here },
    { kind: "same", by: "Dana Reyes", terms: { region: "bejing1", isLocked: false }, regions, ...here },
    { kind: "shown", binding, ...here },
    { kind: "unbound", by: "Dana Reyes", ...here },
    { kind: "nothing", ...here },
    { kind: "direct", command: "/gantry" },
  ];

  expect(messages.map((each) => drawn(useMessage(each))).join("\n\n")).toMatchInlineSnapshot(`
    "✅ Dana Reyes bound #ops:
    • Region beijing1 is meant for services; jobs are always in the region us. Other regions are refused here.
    • Names shop-*: only these are listed and suggested. Other names are refused here.
    • Gantry acts with the account team-ops: your own, the channel's or the workspace's, whichever has this user name.
    See it with /gantry use, take it away with /gantry use --clear

    #ops was bound to just that already:
    • Region bejing1 is meant for services; jobs are always in the region us. --region still asks for another one.
    ⚠️ bejing1 is none of the regions that are known here: beijing1, beijing2.
    See it with /gantry use, take it away with /gantry use --clear

    #ops is bound, by Dana Reyes, 1970-01-01 00:00 UTC:
    • Region beijing1 is meant for services; jobs are always in the region us. --region still asks for another one.
    • Names shop-*: only these are listed and suggested. Another name still works when it is typed in full.
    • Gantry acts with the account team-ops: your own, the channel's or the workspace's, whichever has this user name.
    Bind it anew with /gantry use and flags, take it away with /gantry use --clear

    ✅ Dana Reyes unbound #ops.
    Every region and every name can be asked for there, as far as the policy allows it.

    #ops is not bound. Every region and every name can be asked for there, as far as the policy allows it.
    Bind it with /gantry use --region R, --names "shop-*" or --account A; --lock refuses the rest

    A conversation with Gantry cannot be bound, only a channel.
    Type it in a channel. Your own default region is chosen in Gantry's Home."
  `);
});

test("whatever it is bound to, Slack takes it, and nothing in it comes alive", () => {
  const anything = fc.record({ region: hostileText, names: hostileText, account: hostileText, isLocked: fc.boolean() });
  const unreal = { ...here, channelId: "no id" };
  fc.assert(
    fc.property(anything, hostileText, fc.array(hostileText, { maxLength: 12 }), (any, by, known) => {
      expectFits(useMessage({ kind: "bound", by, terms: any, regions: known, ...unreal }));
      const bound = { ...any, boundBy: { userId: "U0DANA", name: by }, boundAt: new Date(0) };
      expectFits(useMessage({ kind: "shown", binding: bound, ...unreal }));
      expectFits(withContextLine(post(by, [section(by)]), `Bound here: ${any.names}`));
    }),
    { numRuns: cases / 5 },
  );
});

test("a small line stands under the head of a thread and under what one person gets; a full message stays as it is", () => {
  const alone = post("alone", [section("alone")]);
  const head = post("head", [section("head")]);
  const threaded = withContextLine({ ...head, thread: { replies: [head], files: [], alone } }, "Bound here: region us");
  const full = post(
    "full",
    Array.from({ length: limits.blocks }, () => section("x")),
  );

  expect(drawn(threaded)).toBe("head\nBound here: region us");
  expect(drawn(threaded.thread?.alone ?? head)).toBe("alone\nBound here: region us");
  expect(threaded.thread?.replies).toEqual([head]);
  expect(withContextLine(full, "Bound here: region us").blocks).toHaveLength(limits.blocks);
  expect(withContextLine(full, "Bound here: region us").text).toBe("full\nBound here: region us");
});
