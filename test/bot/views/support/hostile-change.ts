import { Redacted } from "../../../../src/api/redacted.ts";
import fc from "fast-check";
import { historyEventKinds, type HistoryEvent } from "../../../../src/bot/changes/history-event.ts";
import type { Outcome } from "../../../../src/bot/changes/change.ts";
import {
  changeStates,
  type ChangeState,
  type Ending,
  type StoredChange,
  type WayBack,
} from "../../../../src/bot/changes/stored-change.ts";
import type { Terms } from "../../../../src/bot/policy/policy.ts";
import { hostileText, long } from "./hostile.ts";
import { moved, stored, terms } from "./stored-changes.ts";

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
/** 0 to 2 different items, now and then repeated into a long list. */
function listed<Item>(item: fc.Arbitrary<Item>, most = 20) {
  const some = fc.tuple(fc.array(item, { maxLength: 2 }), fc.constantFrom(1, 1, 1, 1, most));
  return some.map(([items, times]) => Array.from({ length: times }, () => items).flat());
}

const moment = fc.constantFrom(new Date(0), new Date("2026-11-21T12:00:00Z"), new Date(8.64e15));
const who = fc.record({ userId: hostileText, name: hostileText });

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  listed(hostileText).map((alsoMoved): Outcome => ({ kind: "done", after: undefined, alsoMoved })),
  hostileText.map((why): Outcome => ({ kind: "asked", after: undefined, why })),
  fc.tuple(hostileText, hostileText).map(([why, next]): Outcome => ({ kind: "failed", why, next })),
  fc.tuple(hostileText, hostileText).map(([why, next]): Outcome => ({ kind: "unknown", after: "unread", why, next })),
);
const drift = fc
  .tuple(hostileText, hostileText, hostileText, maybe(hostileText))
  .map(([field, before, now, asked]) => moved(field, asked === undefined ? [before, now] : [before, now, asked]));
const ending: fc.Arbitrary<Ending> = fc.oneof(
  outcome.map((each): Ending => ({ kind: "run", outcome: each })),
  fc.tuple(who, maybe(hostileText)).map(([by, reason]): Ending => ({ kind: "rejected", by, reason })),
  who.map((by): Ending => ({ kind: "cancelled", by })),
  fc.constantFrom<Ending>({ kind: "expired", was: "pending" }, { kind: "expired", was: "approved" }),
  listed(drift).map((rows): Ending => ({ kind: "drifted", drift: rows })),
);

const anyTerms: fc.Arbitrary<Terms> = fc.record({
  votes: fc.nat(9),
  from: fc.record({ users: listed(hostileText), groups: listed(hostileText), channelMembers: fc.boolean() }),
  selfApproval: fc.boolean(),
  reasonRequired: fc.boolean(),
  expiresMs: fc.nat(),
  cardIn: maybe(hostileText),
  mention: fc.constantFrom("groups", "all", "nobody"),
});

const health = fc.record({
  kind: fc.constantFrom("reached", "trouble", "not-yet", "unwatched", "watching"),
  level: fc.constantFrom(undefined, "healthy", "busy", "failing", "idle"),
  outcome: maybe(hostileText),
  line: hostileText,
  afterMs: maybe(fc.nat()),
  excerpt: listed(hostileText.map((text) => Redacted.parse(text))),
});

const wayBack: fc.Arbitrary<WayBack> = fc.record({
  state: fc.constantFrom("going", "gone", "failing", "unclear"),
  by: maybe(hostileText),
  diff: listed(hostileText),
  at: maybe(moment),
  line: hostileText,
});

/** The states in which a Change can have such an ending. */
function statesOf(ending: Ending | undefined): readonly [ChangeState, ...ChangeState[]] {
  if (ending === undefined) return changeStates;
  return ending.kind === "run" ? ["done", "failed", "unknown"] : [ending.kind];
}

/** Any Change in any state, also ended ones without an ending. */
const single: fc.Arbitrary<StoredChange> = fc.tuple(anyChange(), fc.nat(29)).map(([change, at]) => {
  const states = statesOf(change.ending);
  return { ...change, state: states[at % states.length] ?? states[0] };
});

/** The most that a request can be about. */
const MOST_PARTS = 20;

/** Some are about several workloads. */
export const hostileChange: fc.Arbitrary<StoredChange> = fc
  .tuple(single, maybe(listed(single, MOST_PARTS / 2)))
  .map(([change, parts]) => ({ ...change, ...(parts !== undefined && parts.length > 0 && { parts }) }));

function anyChange(): fc.Arbitrary<StoredChange> {
  return fc.record({
    id: hostileText,
    deliveryId: fc.constant("d"),
    state: fc.constant("pending"),
    version: fc.nat(),
    teamId: fc.constant("T"),
    requester: who,
    channelId: hostileText,
    verb: fc.oneof(fc.constantFrom("scale", "deploy", "__proto__", "constructor"), hostileText),
    reason: maybe(hostileText),
    op: fc.constantFrom("updateService", "deleteJob", "createService", "createJob", "restartService"),
    workload: fc.record({
      kind: fc.constantFrom("service", "job"),
      region: hostileText,
      name: hostileText,
      uid: fc.constant(undefined),
    }),
    risk: fc.constantFrom("routine", "disruptive", "destructive"),
    diff: listed(hostileText),
    digest: fc.constant("d"),
    sealed: fc.constant("SECRETVALUE"),
    account: fc.record({
      owner: fc.oneof(
        fc.constant({ kind: "workspace" } as const),
        hostileText.map((channelId) => ({ kind: "channel", channelId }) as const),
        hostileText.map((userId) => ({ kind: "user", userId }) as const),
      ),
      username: hostileText,
    }),
    rule: hostileText,
    terms: maybe(anyTerms),
    breakGlass: fc.boolean(),
    undoOf: maybe(hostileText),
    wayBackOf: maybe(hostileText),
    wayBack: maybe(wayBack),
    votes: listed(fc.record({ userId: hostileText, name: hostileText, at: moment }), 9),
    createdAt: moment,
    expiresAt: maybe(moment),
    approvedAt: maybe(moment),
    claimedAt: maybe(moment),
    settledAt: maybe(moment),
    ending: maybe(ending),
    health: maybe(health),
    progress: maybe(health),
    isUndone: fc.boolean(),
    notice: maybe(hostileText),
    card: maybe(fc.record({ channelId: hostileText, ts: hostileText })),
  });
}

export const hostileEvent: fc.Arbitrary<HistoryEvent> = fc.record({
  seq: fc.nat(),
  at: moment,
  kind: fc.constantFrom(...historyEventKinds),
  teamId: fc.constant("T"),
  changeId: maybe(hostileText),
  who: maybe(who),
  channelId: maybe(hostileText),
  verb: maybe(hostileText),
  workload: maybe(fc.record({ kind: fc.constant("service"), region: hostileText, name: hostileText })),
  account: maybe(hostileText),
  rule: maybe(hostileText),
  breakGlass: fc.boolean(),
  result: hostileText,
  elapsedMs: maybe(fc.nat()),
  reference: maybe(hostileText),
});

/** Changes in which every text is long, in every state, with each kind of ending. */
export function longChanges(): StoredChange[] {
  return long.flatMap((text) =>
    endingsOf(text).flatMap((ending) =>
      statesOf(ending).flatMap((state) => {
        const change = longChange(text, state, ending);
        const deploys = backs(text).map((back) => ({ ...change, verb: "deploy", wayBack: back }));
        return [change, ...deploys].flatMap((each) => [
          each,
          { ...each, parts: Array.from({ length: MOST_PARTS }, () => ({ ...each })) },
        ]);
      }),
    ),
  );
}

function backs(text: string): WayBack[] {
  return (["going", "gone", "failing", "unclear"] as const).map((state) => ({
    state,
    by: undefined,
    diff: [`image ${text} → ${text}`],
    at: new Date("2026-11-21T12:00:00Z"),
    line: text,
  }));
}

function endingsOf(text: string): (Ending | undefined)[] {
  const many = Array.from({ length: 50 }, () => text);
  const drifted = many.map((each) => moved(each, [each, each, each]));
  return [
    undefined,
    { kind: "run", outcome: { kind: "done", after: undefined, alsoMoved: many } },
    { kind: "run", outcome: { kind: "failed", why: text, next: text } },
    { kind: "run", outcome: { kind: "unknown", after: "unread", why: text, next: text } },
    { kind: "rejected", by: { userId: text, name: text }, reason: text },
    { kind: "drifted", drift: drifted },
  ];
}

function longChange(text: string, state: StoredChange["state"], ending: Ending | undefined): StoredChange {
  const many = Array.from({ length: 50 }, () => text);
  const at = new Date("2026-11-21T12:00:00Z");
  const who = { userId: text, name: text };
  return stored({
    id: text,
    state,
    verb: text,
    reason: text,
    notice: text,
    rule: text,
    channelId: text,
    requester: who,
    risk: "destructive",
    workload: { kind: "service", region: text, name: text, uid: undefined },
    diff: many,
    account: { owner: { kind: "user", userId: text }, username: text },
    terms: { ...terms, mention: "all", from: { users: many, groups: many, channelMembers: true } },
    breakGlass: true,
    undoOf: text,
    wayBackOf: text,
    votes: many.map(() => ({ ...who, at })),
    settledAt: at,
    ending,
    health: {
      kind: "trouble",
      level: "failing",
      outcome: text,
      line: text,
      excerpt: many.map((line) => Redacted.parse(line)),
    },
  });
}
