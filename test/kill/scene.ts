import type { Delivery } from "../../src/playground/delivery/deliver.ts";
import type { Person } from "../../src/playground/people/person.ts";
import type { ChangeRecord } from "./records.ts";
import { patience, waitFor } from "./wait-for.ts";
import type { Cluster } from "./cluster.ts";

export type Acked = {
  readonly id: string;
  readonly person: Person;
  readonly what: "ask" | "ask in a form" | "decide" | "look";
};

/** One round in a cluster: people, a service of their own, and what they did that was acked. */
export type Scene = {
  readonly cluster: Cluster;
  /** Of the service that it is all about. */
  readonly name: string;
  /** Further services that the story has made. */
  readonly others: string[];
  readonly random: () => number;
  /** Sets the trap. */
  readonly arm: (isRipe?: () => boolean) => void;
  /** Whether people ask for restarts where they have the choice: those that are sent again show best. */
  readonly isAboutRestarts: boolean;
  /** What was acked, each once. */
  readonly acked: Acked[];
  /** What was said in messages that mention the bot, each edited or not: at most one Change comes of each. */
  readonly messages: string[];
  /** What the channel has to be told, each in one message. */
  readonly toTell: RegExp[];
  /** Decisions that the bot answered without carrying them out, and that were made again. */
  readonly repeated: string[];
};

/** A card of a Change as it stands in the channel. */
export type CardSeen = {
  readonly ts: string;
  readonly changeId: string;
  readonly text: string;
  /** Without those that only look. */
  readonly buttons: readonly string[];
};

/** What the simulated workspace says of a button, a field or a form that is not there any more. */
const gone =
  /sees no button|has no button|no form open|sees no field|has no field|has no submit button|is open and covers/u;
/**
 * Somebody does something, and again when Slack says that the app did not answer; sometimes the same delivery comes once
 * more instead. What cannot be done any more, because its button is gone, is not done.
 */
export async function acts(
  scene: Scene,
  { person, what }: Pick<Acked, "person" | "what">,
  act: () => Promise<Delivery>,
): Promise<void> {
  const { cluster, acked, random } = scene;
  const { ended } = patience(cluster.pulse);
  while (ended() === undefined) {
    await cluster.isUp();
    const before = new Set(cluster.deliveries.delivered());
    const toldBefore = timesNotStored(person);
    let delivery: Delivery;
    try {
      delivery = await act();
    } catch (error) {
      if (error instanceof Error && gone.test(error.message)) return;
      throw error;
    }
    // Of a choice from a picker the first asks for its options.
    const sent = cluster.deliveries.delivered().findLast((each) => !before.has(each) && each.userId === person.id);
    if (sent === undefined)
      throw new Error(`${person.name} did something, and nothing came: ${JSON.stringify(delivery)}`);
    const note = (): void => void (acked.some(({ id }) => id === sent.id) || acked.push({ id: sent.id, person, what }));
    if (delivery.acked) {
      note();
      // On a busy machine: it won't run, and its author was told so and tries again.
      if (!what.startsWith("ask") || timesNotStored(person) === toldBefore) return;
      scene.repeated.push(what);
      continue;
    }
    if (random() < 0.5) continue;
    await cluster.isUp();
    if (await cluster.deliveries.repeat(sent)) return note();
  }
  throw new Silent(`${person.name} tried to ${what} and was never acked: ${ended()}; ${cluster.pulse.describe()}`);
}

function timesNotStored(person: Person): number {
  return person.sees("ops").filter(({ text }) => text.includes("the database didn't confirm your request")).length;
}

/** Nobody acked what a person did, though replicas were there to do so. */
export class Silent extends Error {}

export function cards({ cluster }: Pick<Scene, "cluster">): readonly CardSeen[] {
  const seen = cluster.playground.as("dana").sees("ops");
  const said = new Set(seen.filter(({ author }) => author === "dana").map(({ ts }) => ts));
  return seen.flatMap(({ ts, threadTs, isEphemeral, text, blocks }) => {
    const changeId = /^([0-9A-Z]{6})(?: · |$)/mu.exec(text)?.[1];
    // Under a card stands its story; under what somebody said stands the card.
    const isStory = threadTs !== undefined && threadTs !== ts && !said.has(threadTs);
    if (isEphemeral || changeId === undefined || isStory) return [];
    return [{ ts, changeId, text, buttons: buttonsIn(blocks).filter((button) => !looks.test(button)) }];
  });
}

/** They change nothing, so they may stay on any card. */
const looks = /^(?:Logs|Show)$/u;

export function buttonsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(buttonsIn);
  if (typeof value !== "object" || value === null) return [];
  const { type, text } = value as { type?: unknown; text?: { text?: unknown } }; // a block or a part of one
  return type === "button" ? [String(text?.text)] : Object.values(value).flatMap(buttonsIn);
}

/** How often the bot told somebody something for their eyes only. That it works on it is no answer. */
export function ephemerals(person: Person, channel = "ops"): number {
  const alone = person.sees(channel).filter(({ isEphemeral, author }) => isEphemeral && author !== "slackbot");
  return alone.filter(({ text }) => !text.startsWith("⏳ Working on it")).length;
}

/** What stands in the form that is open, as JSON. */
export function formText(person: Person): string {
  return JSON.stringify(person.modal()?.content ?? "");
}

const ended: ReadonlySet<string> = new Set([
  "done",
  "failed",
  "unknown",
  "rejected",
  "cancelled",
  "expired",
  "drifted",
]);

/** `all`: the requests of its round. */
export function isAtEnd(change: ChangeRecord, all: readonly ChangeRecord[]): boolean {
  const { state, settled_at, part_count, next_at } = change;
  // After a failed request for several, the workloads it changed are still followed, and its card shows how they are.
  const isFollowed = state === "done" || (part_count > 0 && next_at !== null);
  if (!ended.has(state) || settled_at === null || (isFollowed && !isLookedAt(change) && !isLeft(change, all)))
    return false;
  return isDelivered(change);
}

/** Its way back came to nothing, so it stays in trouble: it is looked at for ten minutes, and nobody waits for that here. */
function isLeft({ id, progress }: ChangeRecord, all: readonly ChangeRecord[]): boolean {
  return (
    /"kind":"trouble"/u.test(progress ?? "") && all.some(({ undo_of, state }) => undo_of === id && state === "failed")
  );
}

/**
 * Slack shows it. Of one that Slack has never taken, its requester was told how it ended; one that is there is out of date until it
 * is drawn, and channels are open again when a story is over.
 */
function isDelivered({ due, blocked_at, card_ts, told }: ChangeRecord): boolean {
  if (blocked_at === null) return Number(due) === 0;
  return card_ts === null && Number(due) === 1 && isToldEnd(told);
}

export function isToldEnd(told: string | null): boolean {
  return /"(?:ended|after)"/u.test(told ?? "");
}

const MINUTE_MS = 60_000;

/** Its workload was seen well, or nobody looks any more. The last look comes minutes later; nobody waits for that here. */
function isLookedAt({ health, progress, next_at, settled_at, part_count }: ChangeRecord): boolean {
  if (health !== null) return true;
  if (part_count === 0) return progress !== null && /"kind":"reached"/u.test(progress);
  return next_at !== null && Date.parse(next_at) - Date.parse(settled_at ?? "") > MINUTE_MS;
}

/** The requests about the services of a scene; of several, that about the first one. */
export async function changesOf({ cluster, name, others }: Scene): Promise<readonly ChangeRecord[]> {
  const all = await Promise.all([name, ...others].map((each) => cluster.records.changes(each)));
  return all.flat();
}

/** Whether nothing is under way but what waits for people. */
export async function isQuiet(scene: Scene): Promise<boolean> {
  const { cluster } = scene;
  const changes = await changesOf(scene);
  const isWaiting = ({ state, due }: ChangeRecord): boolean => state === "pending" && Number(due) === 0;
  return (
    changes.every((each) => isAtEnd(each, changes) || isWaiting(each)) &&
    (await cluster.records.unfinished()).length === 0
  );
}

/** Resolves when all that was begun is at its end, or waits for people, and is drawn. */
export async function quiet(scene: Scene): Promise<void> {
  await waitFor(scene.cluster.pulse, () => isQuiet(scene), "everything is at an end and drawn");
}
