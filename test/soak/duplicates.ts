import type { Seen } from "../../src/playground/people/surfaces.ts";
import { find, type Soak } from "./acting.ts";
import { type Actor, DIRECT, isMeanwhile, isOnTop, news } from "./actor.ts";
import { takes } from "./answers.ts";
import { hasBroken } from "./trouble.ts";

/** What had no answer from Slack when its connection or its replica ended is sent again, by whoever takes it over at the latest. */
const AGAIN_WITHIN_MS = 90_000;
/** An answer is on its way for no longer than this. */
const ON_ITS_WAY_MS = 5_000;
/** Said in between: the answer still comes. */
const notice = /^I lost my database/u;

/** What came that nobody waits for any more: a late answer to what Slack had given up on, or a second one. */
export function findDuplicates(soak: Soak, actor: Actor): void {
  for (const channel of new Set([DIRECT, actor.channel])) {
    for (const answer of news(actor, channel, isOnTop)) {
      takes(soak, actor, { channel, answer });
      if (!notice.test(answer.text)) countSecond(soak, actor, answer);
    }
  }
}

function countSecond({ ledger, troubles, ...soak }: Soak, actor: Actor, { text, ts }: Seen): void {
  // An actor that no longer waits finds the answer minutes after it came.
  const cameAtMs = performance.now() - Math.max(0, Date.now() - Number(ts) * 1_000);
  if (actor.givenUp > 0) {
    actor.givenUp -= 1;
    ledger.lateAnswers += 1;
  } else if (hasBroken(troubles, cameAtMs - AGAIN_WITHIN_MS, cameAtMs)) {
    ledger.answeredAgain += 1;
  } else find({ ledger, troubles, ...soak }, "duplicated", `${actor.person.name}: ${text.slice(0, 80)}`);
}

/** A second answer in the thread of a mention would come within this. */
const THREAD_KEPT_MS = 30_000;

/** A mention is answered once, however often Slack delivered it. */
export function findRepliesTooMany(soak: Soak, actor: Actor, keptMs = THREAD_KEPT_MS): void {
  const dueMs = performance.now() - keptMs;
  while (actor.threads[0] !== undefined && actor.threads[0].atMs <= dueMs) {
    const { ts, what, atMs } = actor.threads.shift() ?? { ts: "", what: "", atMs: 0 };
    const replies = repliesIn(actor, ts);
    const isExcused = replies.length === 2 && hasBroken(soak.troubles, atMs - ON_ITS_WAY_MS, atMs + ON_ITS_WAY_MS);
    if (isExcused) soak.ledger.answeredAgain += 1;
    else if (replies.length > 1) find(soak, "duplicated", `${what}: ${replies.length} answers`);
    for (const message of [...replies.map((reply) => reply.ts), ts]) {
      soak.stage.playground.people.removeMessage(actor.person.channelId(actor.channel), message);
    }
  }
}

export function repliesIn({ person, channel }: Pick<Actor, "person" | "channel">, thread: string): readonly Seen[] {
  return person
    .sees(channel)
    .filter(({ ts, threadTs, author }) => threadTs === thread && ts !== thread && author === "gantry")
    .filter((message) => !isMeanwhile(message));
}
