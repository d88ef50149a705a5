import type { HistoryEvent } from "../../changes/history-event.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import {
  doneState,
  isFollowed,
  isLateHealth,
  overtakenDot,
  overtakenWords,
  retreatOf,
  seenOf,
  unseenOf,
} from "../kit/health.ts";
import { short, votersText, votesText } from "../kit/request-words.ts";
import { lower } from "../kit/text.ts";
import { pastHeadline } from "./change-words.ts";
import { eventSentence, type Sentence, whyText } from "./event-sentence.ts";
import { detailText, phraseText, valueBefore } from "./phrases.ts";

const PERSON = 20;

type Telling = {
  readonly defaultRegion: string;
  /** Also why they asked, and who approved. */
  readonly isFull: boolean;
  /** The message shows the workload's status itself, so the sentence leaves it out. */
  readonly isHealthSaid: boolean;
  /** The message is never redrawn: it says only what stays true. */
  readonly isLasting: boolean;
};

/** What happened, from the request as it is now; else only what the row of history itself says. Pure. */
export function historySentence(event: HistoryEvent, telling: Telling): Sentence {
  const { request } = event;
  if (request === undefined || event.workload === undefined) return eventSentence(event, telling.defaultRegion);
  const { facts = [], ...text } = textOf(request, telling);
  const more = telling.isFull ? [...replacedBy(request), ...reasonsOf(request)] : [];
  return { ...text, by: byWhom(request, telling), facts: [...facts, ...factsOf(request), ...more] };
}

const statusDots: ReadonlySet<string> = new Set(["🟡", "🔴", overtakenDot]);

function textOf(request: StoredChange, telling: Telling): Sentence {
  const { isLasting, isHealthSaid } = telling;
  if (isLasting && isStillOpen(request)) return { mark: "•", text: askedText(request, telling) };
  const isFollowedYet = isLasting && isStillFollowed(request);
  const deed = isHealthSaid || isFollowedYet ? deedOf(request, telling) : undefined;
  if (deed === undefined) return stateOf(request, telling);
  return { ...deed, mark: isFollowedYet || (isLasting && statusDots.has(deed.mark)) ? "•" : deed.mark };
}

function askedText(request: StoredChange, { defaultRegion }: Telling): string {
  return `Asked to ${lower(phraseText(request, "title", defaultRegion))}${detailText(request)}`;
}

/** Only what was done; undefined if nothing was. The mark says whether it took effect, because a rollout can be stuck. */
function deedOf(request: StoredChange, { defaultRegion }: Telling): Sentence | undefined {
  const { ending } = request;
  if (ending?.kind !== "run" || ending.outcome.kind !== "done") return undefined;
  const back = retreatOf(request)?.state === "gone" ? ", but it went back" : "";
  const mark = request.op === "createJob" ? "✅" : doneState(request).mark;
  return { mark, text: `${phraseText(request, "did", defaultRegion)}${back}` };
}

/** As its card says it, and why where the card's headline doesn't. Nothing looks better here than it is. */
function stateOf(request: StoredChange, telling: Telling): Sentence {
  const { ending, state } = request;
  const { mark, text } = pastHeadline(request, telling.defaultRegion);
  const title = lower(phraseText(request, "title", telling.defaultRegion));
  switch (state) {
    case "pending":
    case "approved":
      return { mark, text: askedText(request, telling) };
    case "failed":
      if (ending?.kind !== "run" || ending.outcome.kind !== "failed") return { mark, text };
      return { mark, text: `${text}: ${whyText(ending.outcome.why)}` };
    case "drifted":
      return isLateHealth(request) ? { mark, text } : { mark, text: `Not run: ${title}, because it changed meanwhile` };
    case "cancelled":
      // A workload of several, after one that failed.
      return ending?.kind === "cancelled" ? { mark, text } : { mark, text: `Not run: ${title}` };
    case "done": {
      const seen = seenOf(request);
      const overtaken = overtakenWords(seen);
      const { kind } = doneState(request);
      const unseen = unseenOf(request);
      if (unseen !== undefined) return { mark, text, facts: [`the workload API doesn't report ${unseen}`] };
      if (kind === "unknown" && seen !== undefined && seen.line !== "") return { mark, text, facts: [seen.line] };
      const isUnsaid = overtaken !== undefined && kind === "settling";
      return { mark, text: isUnsaid ? `${text}, but it ${overtaken}` : text.replace(/…$/u, "") };
    }
    default:
      return { mark, text: text.replace(/…$/u, "") };
  }
}

/** It waits, runs, or is still being read back. */
function isStillOpen({ state, settledAt }: StoredChange): boolean {
  if (state === "unknown") return settledAt === undefined;
  return state === "pending" || state === "approved" || state === "claimed";
}

/** Its health is still polled and may change. */
function isStillFollowed(request: StoredChange): boolean {
  return request.state === "done" && request.health === undefined && isFollowed(request);
}

/** Nothing was done, or nobody knows. */
const undone: ReadonlySet<StoredChange["state"]> = new Set(["failed", "unknown", "expired", "drifted", "cancelled"]);

/** Who decided it, else who asked. */
function byWhom({ ending, state, requester, wayBackOf }: StoredChange, { isFull }: Telling): string {
  if (ending?.kind === "rejected" || ending?.kind === "cancelled") return `by ${short(ending.by.name, PERSON)}`;
  if (wayBackOf === undefined) return `${undone.has(state) ? "asked by" : "by"} ${short(requester.name, PERSON)}`;
  return isFull ? `automatic, for request ${short(wayBackOf, 12)}` : "automatic";
}

/** What its state means, as far as its first words don't say it. */
function factsOf(request: StoredChange): string[] {
  const { state, ending, requester } = request;
  const asker = short(requester.name, PERSON);
  switch (state) {
    case "pending":
      return [votesText(request)];
    case "approved":
      return ["waits for its turn"];
    case "expired":
      return [ending?.kind === "expired" && ending.was === "approved" ? "not run in time" : "not approved in time"];
    case "rejected":
      return [
        ...(ending?.kind === "rejected" && ending.reason !== undefined ? [quoted(ending.reason)] : []),
        `asked by ${asker}`,
      ];
    case "cancelled":
      // "Cancelled by" has named them already.
      return ending?.kind === "cancelled" && ending.by.userId !== requester.userId ? [`asked by ${asker}`] : [];
    default:
      return [];
  }
}

/** The value before a change that took effect. The sentence about a way back names it already. */
function replacedBy(request: StoredChange): string[] {
  const { ending, diff } = request;
  const before = valueBefore(diff);
  const tookEffect = ending?.kind === "run" && ending.outcome.kind === "done";
  return before === undefined || !tookEffect || retreatOf(request) !== undefined ? [] : [`was ${before}`];
}

/** Who approved it, and why it was asked for. */
function reasonsOf({ votes, state, reason }: StoredChange): string[] {
  const isApproved = votes.length > 0 && state !== "pending";
  return [
    ...(isApproved ? [`approved by ${votersText(votes, PERSON).replace(/, ([^,]*)$/u, " and $1")}`] : []),
    ...(reason === undefined ? [] : [quoted(reason)]),
  ];
}

function quoted(text: string): string {
  return `“${short(text, 60)}”`;
}
