import type { StoredChange } from "../changes/stored-change.ts";
import { rivalMessage, type Rival } from "../views/rival-message.ts";
import { eligibility } from "./approvers.ts";
import { draw } from "./draw.ts";
import { viewerAt } from "./known-change.ts";
import { namesFor } from "./names.ts";
import type { Place } from "./place.ts";
import { mayKnowChange } from "./records.ts";
import { sentences } from "./sentence.ts";
import type { Shell } from "./shell.ts";
import type { Telling } from "./telling.ts";

type Asked = { readonly place: Place; readonly undoOf?: string | undefined; readonly telling: Telling };

/**
 * What was asked for is asked for already: an equal request waits, or somebody else takes the same Change back. Says which
 * one it is and where its card is, instead of making another; to who may not know of it, only that there is one.
 */
export async function pointAtRival(
  shell: Shell,
  { place, undoOf, telling }: Asked,
  rival: StoredChange,
): Promise<void> {
  // Of two at the same instant this one may be here before the card of the other.
  if (rival.card === undefined) await draw(shell, rival.id);
  if (undoOf !== undefined) await draw(shell, undoOf);
  const current = (await shell.store.findChange(rival.id)) ?? rival;
  const kind = undoOf !== undefined && current.undoOf === undoOf ? "undo" : "waiting";
  // Who may ask for something need not know who else did, and where.
  const seesCard = current.card?.channelId === place.channelId;
  if (!seesCard && !(await mayKnowChange(shell, await viewerAt(shell, place), current))) {
    return telling.say(sentences.askedAlready(kind), "told");
  }
  const { command, region: defaultRegion } = shell.settings;
  const message = rivalMessage({
    change: current,
    kind,
    viewer: await viewerOf(shell, current, place),
    link: await permalink(shell, current),
    command,
    defaultRegion,
    names: await namesFor(shell, current),
  });
  return telling.say(message, "told");
}

async function viewerOf(
  { people }: Shell,
  { state, terms, requester, channelId, card }: StoredChange,
  { userId }: Place,
): Promise<Rival["viewer"]> {
  if (state !== "pending" || terms === undefined) return "other";
  const voter = { userId, requesterId: requester.userId, channelId: card?.channelId ?? terms.cardIn ?? channelId };
  const may = await eligibility(people, terms, voter).catch(() => undefined);
  if (may?.kind === "may") return "approver";
  return userId === requester.userId ? "requester" : "other";
}

/** Undefined where Slack does not tell; the channel is named all the same. */
async function permalink({ clients, log }: Shell, { id, card }: StoredChange): Promise<string | undefined> {
  if (card === undefined) return undefined;
  try {
    const { channelId: channel, ts: message_ts } = card;
    return (await clients.interactive.chat.getPermalink({ channel, message_ts })).permalink;
  } catch (err) {
    log.warn({ err, changeId: id }, "the link to a card could not be read");
    return undefined;
  }
}
