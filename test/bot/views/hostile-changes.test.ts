import fc from "fast-check";
import { expect, test } from "vitest";
import type { StoredChange } from "../../../src/bot/changes/stored-change.ts";
import { historyEventKinds } from "../../../src/bot/changes/history-event.ts";
import type { Ask } from "../../../src/bot/ask.ts";
import { accountMessage, connectForm, connectResult } from "../../../src/bot/views/forms/connect-form.ts";
import {
  askedElsewhere,
  repeatMessage,
  type DuplicateRequest,
  duplicateMessage,
  newsPost,
} from "../../../src/bot/views/messages/request-answers.ts";
import { changeCard, retiredCard } from "../../../src/bot/views/cards/change-card.ts";
import { storyReply, wentBackReply } from "../../../src/bot/views/cards/change-story.ts";
import { decisionAnswer, type DecisionAnswer } from "../../../src/bot/views/messages/decision-answer.ts";
import { post } from "../../../src/bot/views/kit/post.ts";
import { refusalMessage, type Refusal } from "../../../src/bot/views/messages/error-messages.ts";
import { rejectForm } from "../../../src/bot/views/forms/modal.ts";
import { waitingLines } from "../../../src/bot/commands/verbs/show/card-parts.ts";
import { someOf } from "../../support/full-run.ts";
import { event } from "./support/stored-changes.ts";
import { hostileChange, hostileEvent, longChanges } from "./support/hostile-change.ts";
import { hostileText, long } from "./support/hostile.ts";
import { holds } from "./support/holds.ts";
import { expectFits, expectFormFits } from "./support/judges.ts";
import { command, now } from "./support/workloads.ts";

const options = { defaultRegion: "us" };
const names = fc.dictionary(hostileText, hostileText, { maxKeys: 2 });

function repeated({ verb, workload, reason }: StoredChange): Ask {
  return { verb, share: false, args: { name: workload.name }, ...(reason !== undefined && { reason }) };
}

holds("the card of a change", fc.tuple(hostileChange, fc.boolean(), names), ([change, canUndo, given]) => {
  expectFits(changeCard({ change, canUndo, names: given, ...options }));
  expectFits(newsPost({ change, route: "thread", isWatched: true, reason: "Slack refused it", ...options }));
  expectFits(retiredCard({ change, ...options }));
  expectFits(repeatMessage({ change, ask: repeated(change), agoMs: 1_000, ...options }));
  expectFits(askedElsewhere({ change, cardIn: change.channelId, ...options }));
});

holds("its thread", fc.tuple(hostileChange, fc.array(hostileEvent, { maxLength: 4 })), ([change, events]) => {
  for (const reply of [storyReply(events, { change, defaultRegion: "us" }), wentBackReply(change, { change })]) {
    if (reply !== undefined) expectFits(reply);
  }
});

function answersAbout(change: StoredChange): DecisionAnswer[] {
  const could = { names: change.diff, count: change.diff.length };
  return [
    ...(["counted", "approved", "rejected", "cancelled", "twice", "own", "not-yours", "retired"] as const).map(
      (kind) => ({ kind, change }),
    ),
    { kind: "late", change, wanted: "approve" },
    { kind: "foreign", change, wanted: "reject", could },
    { kind: "standing", change, standing: "guest" },
    { kind: "not-enough", change },
    { kind: "not-run", change, why: change.id },
    { kind: "missing", id: change.id, nearest: change.diff },
  ];
}

function duplicatesOf(change: StoredChange): DuplicateRequest[] {
  return (["requester", "approver", "other"] as const).flatMap((viewer) =>
    (["waiting", "undo"] as const).map((kind) => ({ change, kind, viewer, link: `https://${change.id}`, ...options })),
  );
}

holds("an equal request that waits", fc.tuple(hostileChange, fc.nat(5)), ([change, at]) => {
  for (const earlier of duplicatesOf(change).slice(at, at + 1)) expectFits(duplicateMessage(earlier));
  const waiting = { changes: Array.from({ length: 5 }, () => change) };
  expectFits(post("waiting", waitingLines(waiting, now)));
});

holds("the answer to a decision", fc.tuple(hostileChange, fc.nat(14)), ([change, at]) => {
  const answer = answersAbout(change)[at] ?? { kind: "check-failed" };

  expectFits(decisionAnswer({ answer, ...options }));
});

const refusal: fc.Arbitrary<Refusal> = fc.oneof(
  fc.tuple(hostileText, hostileText, hostileText).map(([why, next, rule]): Refusal => {
    return { kind: "policy", command, verdict: { kind: "refuse", rule, why, next } };
  }),
  fc.tuple(hostileText, hostileText, hostileText).map(([rule, channelId, botName]): Refusal => {
    return { kind: "no-card", command, rule, channelId, botName };
  }),
  fc.tuple(hostileText, fc.array(hostileText, { maxLength: 19 })).map(([why, others]): Refusal => {
    return { kind: "api", why, others };
  }),
  fc.tuple(hostileText, fc.nat(), fc.array(hostileText, { maxLength: 9 })).map(([rule, needed, given]): Refusal => {
    return { kind: "approvers", command, rule, needed, names: given };
  }),
);

holds("a refusal", refusal, (each) => {
  expectFits(refusalMessage(each));
});

holds("what is said of accounts", fc.tuple(hostileText, hostileText, fc.nat(3)), ([username, other, at]) => {
  const owner = { kind: "channel", channelId: other } as const;
  const forms = [
    () => connectForm({ owner, metadata: "{}", username, problems: [other] }),
    () => connectResult({ kind: "checking", username }),
    () => connectResult({ kind: "done", owner, username, command }),
    () => connectResult({ kind: "failed", why: username, next: other }),
  ];

  expectFits(accountMessage({ kind: "connected", owner, username, command }));
  expectFits(accountMessage({ kind: "nothing-linked", owner, command }));
  for (const form of forms.slice(at, at + 1)) expectFormFits(form());
});

holds("the form of a rejection", hostileChange, (change) => {
  expectFormFits(rejectForm({ change, metadata: "", defaultRegion: "us" }));
});

/** Everything that is drawn of a change, one by one. */
function drawingsOf(change: StoredChange): (() => void)[] {
  const messages = [
    () => changeCard({ change, canUndo: true, ...options }),
    () => newsPost({ change, route: "thread", isWatched: true, reason: "Slack refused it", ...options }),
    () => askedElsewhere({ change, cardIn: change.channelId, ...options }),
    () => retiredCard({ change, ...options }),
    () => repeatMessage({ change, ask: repeated(change), agoMs: 1_000, ...options }),
    ...duplicatesOf(change).map((earlier) => () => duplicateMessage(earlier)),
    ...answersAbout(change).map((answer) => () => decisionAnswer({ answer, ...options })),
    () => wentBackReply(change, { change }),
  ];
  return [
    ...messages.map((draw) => () => {
      const message = draw();
      if (message !== undefined) expectFits(message);
    }),
    () => expectFormFits(rejectForm({ change, metadata: "" })),
  ];
}

const changes = longChanges();

test("cards, threads and answers in which every text is long break no limit", () => {
  // A fifth of a fifth: each is drawn of changes in several states.
  const drawings = someOf(someOf(changes.flatMap(drawingsOf)));

  for (const draws of drawings) draws();
  expect(drawings.length).toBeGreaterThan(100);
});

const threaded = someOf(changes.filter(({ state }) => ["drifted", "done", "pending"].includes(state)));

test.each(historyEventKinds)("a thread of many long events of the kind %s breaks no limit", (kind) => {
  const replies = long.flatMap((text) => {
    // Its own text is in a change at other places than an event's is.
    const own = threaded.filter(({ reason }) => reason === text);
    const one = event(kind, { who: { userId: text, name: text }, result: text, account: text, reference: text });
    const events = [{ ...one, kind: "requested" } as const, ...Array.from({ length: 20 }, () => one)].slice(
      0,
      kind === "requested" ? 1 : 8,
    );
    return own.map((change) => storyReply(events, { change, defaultRegion: "us" }));
  });

  for (const reply of replies) if (reply !== undefined) expectFits(reply);
  expect(replies.length).toBeGreaterThan(long.length);
});
