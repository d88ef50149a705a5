import fc from "fast-check";
import { expect, test } from "vitest";
import { limits, section } from "../../../../../src/bot/views/kit/blocks.ts";
import { post, withContextLine } from "../../../../../src/bot/views/kit/post.ts";
import { useMessage, type UseMessage } from "../../../../../src/bot/commands/verbs/use.ts";
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
    "✅ Dana Reyes set up #ops:
    • Region beijing1 is the default for services; jobs have their own region. Other regions are refused here.
    • Names shop-*: lists and suggestions show only these. Other names are refused here.
    • Account team-ops is used for requests here.
    To see it: /gantry use. To remove it: /gantry use --clear

    #ops already has this binding. Nothing to do.
    • Region bejing1 is the default for services; jobs have their own region. Use --region for another one.
    ⚠️ bejing1 isn't a known region. Known regions: beijing1, beijing2.
    To see it: /gantry use. To remove it: /gantry use --clear

    Binding of #ops, set by Dana Reyes on 1970-01-01 00:00 UTC:
    • Region beijing1 is the default for services; jobs have their own region. Use --region for another one.
    • Names shop-*: lists and suggestions show only these. Other names still work when typed in full.
    • Account team-ops is used for requests here.
    To change it: /gantry use --region R. To remove it: /gantry use --clear

    ✅ Dana Reyes removed the binding of #ops.
    All regions and names are available, as far as policy allows.

    #ops has no binding. All regions and names are available, as far as policy allows.
    To bind it: /gantry use --region R, --names "shop-*" or --account A. Add --lock to refuse everything else.

    You can bind only channels, not direct messages. Use it in a channel.
    To set your own default region, open my Home tab."
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
      expectFits(withContextLine(post(by, [section(by)]), `This channel: ${any.names}`));
    }),
  );
});

test("a small line stands under the head of a thread and under what one person gets; a full message stays as it is", () => {
  const alone = post("alone", [section("alone")]);
  const head = post("head", [section("head")]);
  const threaded = withContextLine(
    { ...head, thread: { replies: [head], files: [], alone } },
    "This channel: region us",
  );
  const full = post(
    "full",
    Array.from({ length: limits.blocks }, () => section("x")),
  );

  expect(drawn(threaded)).toBe("head\nThis channel: region us");
  expect(drawn(threaded.thread?.alone ?? head)).toBe("alone\nThis channel: region us");
  expect(threaded.thread?.replies).toEqual([head]);
  expect(withContextLine(full, "This channel: region us").blocks).toHaveLength(limits.blocks);
  expect(withContextLine(full, "This channel: region us").text).toBe("full\nThis channel: region us");
});
