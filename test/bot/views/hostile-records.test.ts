import fc from "fast-check";
import { expect, test } from "vitest";
import { historyEventKinds } from "../../../src/bot/changes/history-event.ts";
import { historyFile, historyPage } from "../../../src/bot/commands/verbs/history.ts";
import { PENDING_PAGE, pendingList } from "../../../src/bot/commands/verbs/approvals.ts";
import { canI } from "../../../src/bot/commands/verbs/can-i/view.ts";
import { limits } from "../../../src/bot/views/kit/blocks.ts";
import type { Post } from "../../../src/bot/views/kit/post.ts";
import { event, waiting } from "../commands/support/stored.ts";
import { hostileText } from "./support/hostile.ts";
import { expectFits } from "./support/judges.ts";
import { command, now } from "./support/workloads.ts";

const who = hostileText.map((name) => ({ userId: "U0DANA", name }));
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

const ask = fc.record({
  verb: fc.constant("history"),
  share: fc.boolean(),
  args: fc.record({ name: hostileText, by: hostileText, since: hostileText, before: fc.constantFrom(undefined, 7) }),
});

const anyEvent = fc
  .record({
    kind: fc.constantFrom(...historyEventKinds),
    changeId: maybe(hostileText),
    who: maybe(who),
    verb: maybe(hostileText),
    name: hostileText,
    result: hostileText,
    breakGlass: fc.boolean(),
  })
  .map(({ name, ...more }) =>
    event(999_999_999, { ...more, channelId: undefined, workload: { kind: "service", region: name, name } }),
  );

/** The judge takes every channel for live markup; that of a card or an event is meant, and has to fit too. */
function expectRoom({ blocks }: Post): void {
  expect(JSON.stringify(blocks).length).toBeLessThan(limits.blocksJson);
  expect(JSON.stringify(blocks)).not.toContain("The rest doesn't fit into");
}

test("history breaks no limit and carries no live markup", () => {
  const rows = fc.tuple(fc.array(anyEvent, { minLength: 1, maxLength: 3 }), fc.constantFrom(1, 7));
  fc.assert(
    fc.property(rows, ask, ([some, times], asked) => {
      const events = Array.from({ length: times }, () => some).flat();
      const page = { events, older: 7, trail: [9, 0], ask: asked, now, defaultRegion: "us", account: "dana" };

      expectFits(historyPage(page));
      expectRoom(historyPage({ ...page, events: page.events.map((each) => ({ ...each, channelId: "C0123456789" })) }));
      expectFits(historyFile(page));
    }),
  );
});

test("the changes that wait break no limit and carry no live markup", () => {
  const change = fc
    .record({
      requester: who,
      reason: maybe(hostileText),
      diff: fc.array(hostileText),
      voter: who,
      name: hostileText,
      verb: hostileText,
    })
    .map(({ voter, name, ...more }) => ({
      ...waiting,
      ...more,
      workload: { kind: "service", region: name, name, uid: undefined } as const,
      votes: Array.from({ length: 5 }, () => ({ ...voter, at: now })),
      card: undefined,
    }));
  fc.assert(
    fc.property(change, ask, fc.constantFrom(1, 30), (one, asked, times) => {
      const card = { channelId: "C0123456789", ts: "1.2" };
      const rows = [
        { change: one, may: "decide", approvers: undefined },
        { change: one, may: "cancel", approvers: { names: [one.requester.name, one.requester.name], count: 9 } },
        { change: { ...one, id: "K7Q2MY" }, may: "nothing", approvers: "unknown" },
      ] as const; // literal words
      const many = Array.from({ length: times }, () => rows)
        .flat()
        .slice(0, PENDING_PAGE);
      const own = many.map((row, at) => ({ ...row, change: { ...row.change, id: `K7Q2M${at}` } }));

      const list = { rows: own.filter(({ approvers }) => approvers !== undefined), total: 30, unchecked: 0, page: 1 };
      const rest = { ask: asked, defaultRegion: "us", now };
      expectFits(pendingList({ ...list, ...rest }));
      const posted = own.map((row) => ({ ...row, change: { ...row.change, card } }));
      expectRoom(pendingList({ rows: posted, total: 30, unchecked: 0, page: 1, ...rest }));
    }),
  );
});

test("can-i breaks no limit and carries no live markup", () => {
  const verdict = fc.oneof(
    fc
      .tuple(hostileText, hostileText, maybe(hostileText))
      .map(([why, next, rule]) => ({ kind: "refuse", why, next, rule }) as const),
    hostileText.map((rule) => ({ kind: "break-glass", rule }) as const),
    hostileText.map((rule) => ({ kind: "approve", rule, terms: waiting.terms ?? never() }) as const),
  );
  const answers = fc.array(
    fc.record({
      risk: fc.constantFrom("routine", "destructive", undefined),
      kind: fc.constantFrom("service", "job", undefined),
      verdict,
      approvers: maybe(fc.record({ names: fc.array(hostileText, { maxLength: 3 }), count: fc.nat() })),
      glassRule: maybe(hostileText),
    }),
    { maxLength: 4 },
  );
  const judged = fc.record({
    answers,
    change: maybe(fc.record({ diff: fc.array(hostileText) })),
    name: hostileText,
    note: maybe(hostileText),
  });
  fc.assert(
    fc.property(judged, ({ name, ...more }) => {
      expectFits(
        canI({
          evaluation: { kind: "evaluated", workload: { kind: undefined, name }, ...more, hasReason: false },
          verb: { name: "scale", effect: "write", example: "scale web 4" },
          command,
        }),
      );
    }),
  );
});

function never(): never {
  throw new Error("the fixture has terms");
}
