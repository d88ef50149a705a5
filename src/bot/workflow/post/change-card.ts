import type { HistoryEvent } from "../../changes/history-event.ts";
import { isNotifying, partsOf, type StoredChange } from "../../changes/stored-change.ts";
import { changeCard, openingCard } from "../../views/cards/change-card.ts";
import { storyReply, wentBackReply } from "../../views/cards/change-story.ts";
import { diffReplies } from "../../views/cards/diff.ts";
import { retreatOf, seenOf } from "../../views/kit/health.ts";
import { messageFor, type Post, sentAgain } from "../../views/kit/post.ts";
import { approversFor, namesFor } from "../access/approvers.ts";
import type { WorkflowParts } from "../ports.ts";
import { type Content, contentOf, threadOf, undoRequest } from "../stored-request.ts";
import type { Kept, PostKind, Shown, TakenCard } from "../posts.ts";
import { besideCard, isWatched } from "./requester-news.ts";
import { seenThere } from "./seen-there.ts";

type Drawn = {
  readonly change: StoredChange;
  readonly opened: Content | undefined;
  readonly events: readonly HistoryEvent[];
};

/** `taken`: what is known of a card that is posted now. */
export function changePost(deps: WorkflowParts, taken?: TakenCard): PostKind {
  const { sealer, store } = deps;
  let known = taken;
  return async (post) => {
    let drawn: Drawn | undefined = known && { ...known, events: [] };
    known = undefined;
    if (drawn === undefined || hasThread(drawn.change)) {
      const found = await store.changeToDraw({ id: post.key, teamId: post.teamId }, hasThread);
      if (found === undefined) return { kind: "nothing", isOver: true };
      drawn = { ...found, opened: drawn?.opened ?? contentOf(sealer, found.change) };
    }
    const seen = await seenThere(deps, drawn.change, post.place);
    if (seen === undefined) return { kind: "unknown" };
    const { change, isHidden } = seen;
    const events = isHidden ? drawn.events.filter(({ kind }) => !ofWorkload.has(kind)) : drawn.events;
    return { kind: "shown", ...(await shownChange(deps, { ...drawn, change, events })) };
  };
}

/** Events of the workload, not of the request. */
const ofWorkload: ReadonlySet<HistoryEvent["kind"]> = new Set<HistoryEvent["kind"]>(["health", "recovered"]);

/** The thread of a card tells what people decided, and of workloads that are or were in trouble. */
function hasThread(change: StoredChange): boolean {
  const seen = partsOf(change).map(seenOf);
  const wasInTrouble = seen.some((each) => each?.kind === "trouble" || each?.recovered === true);
  return change.terms !== undefined || change.breakGlass || wasInTrouble;
}

async function shownChange(deps: WorkflowParts, drawn: Drawn): Promise<Shown> {
  const { people, settings } = deps;
  const { change } = drawn;
  const names = await namesFor(people, change);
  const thread = threadOfCard(drawn, settings.region);
  return {
    card: async ({ isAgain }) => {
      const view = await cardOf(deps, drawn, names);
      // One with buttons began without them, and says that a newer message has them.
      return isAgain && change.terms === undefined ? sentAgain(view) : view;
    },
    // A settled one has no buttons that decide.
    ...(change.settledAt === undefined && {
      opening: () => openingCard({ change, defaultRegion: settings.region, names }),
    }),
    threadTs: threadOf(change, drawn.opened),
    // Approvers see the channel, not every thread in it.
    isBroadcast: change.state === "pending",
    beside: (sentKeys, unshown) =>
      besideCard(deps, { change, complete: completed([], newestOf(drawn.events)), sentKeys, unshown }),
    isAwaited: true,
    kept: thread,
  };
}

async function cardOf(
  deps: WorkflowParts,
  { change, opened }: Drawn,
  names: Awaited<ReturnType<typeof namesFor>>,
): Promise<Post> {
  const { people, sealer, settings, store } = deps;
  const [approvers, waitsFor] = await Promise.all([approversFor(people, change), store.waitsFor(change)]);
  const canUndo = isChanged(change) && opened !== undefined && undoRequest(sealer, change, opened) !== undefined;
  const { command, region: defaultRegion } = settings;
  const card = changeCard({ change, defaultRegion, names, approvers, waitsFor, command, canUndo });
  return messageFor(change.account.username, card);
}

/** Something that an Undo may take back. Of several workloads, some may have been changed before one failed. */
function isChanged(change: StoredChange): boolean {
  const took = change.state === "done" || (change.state === "failed" && change.parts !== undefined);
  return took && !change.isUndone && seenOf(change)?.gone === undefined;
}

/** What happened after one event, up to another, by their numbers. */
type Batch = { readonly after: number; readonly upTo: number };

const COMPLETE = "all";
const keyOf = (name: string, { after, upTo }: Batch): string => `${name} ${after} ${upTo}`;

/** A key of what a thread of requests tells: the name of the reply in its batch, and the batch. */
function readKey(key: string): (Batch & { readonly name: string }) | undefined {
  const [, name, after, upTo] = /^(?:unsure )?(.+) (\d+) (\d+)$/u.exec(key) ?? [];
  return name === undefined ? undefined : { name, after: Number(after), upTo: Number(upTo) };
}

/** The keys of a thread with all replies up to the event with this number. */
function completed(sentKeys: readonly string[], upTo: number): readonly string[] {
  if (upTo === 0) return sentKeys;
  return [...sentKeys.filter((key) => readKey(key) === undefined), keyOf(COMPLETE, { after: 0, upTo })];
}

function newestOf(events: readonly HistoryEvent[]): number {
  return events.at(-1)?.seq ?? 0;
}

/** Events reach the thread in batches. A batch that was begun is completed before the next one, by any replica. */
function threadOfCard(drawn: Drawn, region: string | undefined): Kept {
  const { change } = drawn;
  const isHeld = isUnderWay(change);
  const events = drawn.events.filter(({ kind }) => !isHeld || (kind !== "done" && kind !== "confirmed"));
  const backs = waysBack(change);
  const newest = newestOf(events);
  const replies = (batch: Batch, isShown: boolean): ReturnType<typeof repliesTo> => {
    const news = events.filter(({ seq }) => seq > batch.after && seq <= batch.upTo);
    return repliesTo(change, news, isShown, region);
  };
  return {
    lacks({ sentKeys, isShown }) {
      const known = sentKeys.flatMap((key) => readKey(key) ?? []);
      const from = Math.max(0, ...known.flatMap(({ name, upTo }) => (name === COMPLETE ? upTo : [])));
      const begun = new Map(known.filter(({ upTo }) => upTo > from).map((each) => [each.upTo, each]));
      const after = Math.max(from, ...begun.keys());
      const batches: readonly Batch[] = [...begun.values(), ...(newest > after ? [{ after, upTo: newest }] : [])];
      const wanted = batches.flatMap((batch) => replies(batch, isShown).map(({ name }) => keyOf(name, batch)));
      return [...wanted, ...backs.map(({ key }) => key)].filter((key) => !sentKeys.includes(key));
    },
    async reply(key) {
      const back = backs.find((each) => each.key === key);
      if (back !== undefined) return wentBackReply(back.part, storyOf(change, region));
      const read = readKey(key);
      return read && replies(read, true).find(({ name }) => name === read.name)?.post;
    },
    complete: (sentKeys) => completed(sentKeys, newest),
    restMs: 0,
  };
}

type Reply = { readonly name: string; readonly post: Post };

/**
 * Replies for the thread: the story of a Change that people decide on; of any other, only that it is in trouble and why, and
 * that it got well.
 */
function repliesTo(
  change: StoredChange,
  news: readonly HistoryEvent[],
  isShown: boolean,
  defaultRegion: string | undefined,
): readonly Reply[] {
  const has = (wanted: HistoryEvent["kind"]): boolean => news.some(({ kind }) => kind === wanted);
  // If the card can't show the ending, the requester gets a message about it: here, if Slack takes it.
  const isSentAnyway = !isShown && change.settledAt !== undefined;
  const tellsStory = (change.terms !== undefined || change.breakGlass) && !isSentAnyway;
  const trouble = isSentAnyway ? [] : news.filter(({ kind }) => kind === "health" || kind === "recovered");
  const all: readonly (readonly [name: string, post: Post | undefined])[] = [
    ["story", storyReply(tellsStory ? news : trouble, storyOf(change, defaultRegion))],
    ...(tellsStory && has("requested") ? diffReplies(change) : []).map(
      (post, at) => [`changes ${at + 1}`, post] as const, // a pair
    ),
  ];
  return all.flatMap(([name, post]) => (post === undefined ? [] : [{ name, post }]));
}

function storyOf(change: StoredChange, defaultRegion: string | undefined) {
  return { change, defaultRegion, isNotifying: isNotifying(change) };
}

/** Each is told once: that a version went back automatically, or couldn't. */
function waysBack(change: StoredChange): readonly { readonly key: string; readonly part: StoredChange }[] {
  return partsOf(change).flatMap((part) => {
    const { state, by } = retreatOf(part) ?? {};
    if (state === undefined || state === "going" || by !== undefined) return [];
    return [{ key: `back ${state} ${part.id}`, part }];
  });
}

/** Nobody has to read first that it was accepted, and then how it went. */
function isUnderWay(change: StoredChange): boolean {
  const { kind } = seenOf(change) ?? {};
  return change.parts === undefined && isWatched(change) && kind !== "reached" && kind !== "trouble";
}
