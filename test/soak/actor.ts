import type { Person } from "../../src/playground/people/person.ts";
import type { Playground } from "../../src/playground/playground.ts";
import type { Seen } from "../../src/playground/people/surfaces.ts";

/** A person of the soak, who does one thing after the other, with services that nobody else touches. */
export type Actor = {
  readonly person: Person;
  /** The channel in which they ask for approvals and mention the bot. */
  readonly channel: string;
  /** Whether they do more than look. */
  readonly mayChange: boolean;
  /** They change it without anybody's approval. */
  readonly free: string;
  /** Its changes need an approval. */
  readonly kept: string;
  /** Messages of the bot that belong to something they did, by ts. */
  readonly known: Set<string>;
  /** Ids of the changes whose card they have seen. */
  readonly changes: Set<string>;
  /** Messages that go when nobody draws them any more. */
  readonly old: { readonly channel: string; readonly ts: string; readonly atMs: number }[];
  /** Threads of their mentions: what is answered there, is answered once. */
  readonly threads: { readonly ts: string; readonly what: string; readonly atMs: number }[];
  /** Deliveries that Slack gave up on. The bot may have taken them, and then answers late. */
  givenUp: number;
};

export type Asker = Actor & { readonly approver: Actor };

/** The conversation with the bot. */
export const DIRECT = "@bot";
const CHANNELS = ["ops", "general", "incidents"] as const;

/**
 * One in so many changes something. The bot reads the profile of who changes or approves every 10 s, and of who looks every
 * minute; Slack allows 100 such reads a minute.
 */
const ONE_IN = 10;

/** Who asks, each with somebody who approves it and does nothing else: an open form would cover the card. */
export function createActors(playground: Playground, size: number): readonly Asker[] {
  for (const channel of CHANNELS) playground.faults.inviteBot(channel);
  return Array.from({ length: size }, (_, index) => {
    const channel = CHANNELS[index % CHANNELS.length] ?? "ops";
    const actor = (name: string): Actor => ({
      person: playground.people.addPerson(name, CHANNELS),
      channel,
      mayChange: index % ONE_IN === 0,
      free: `free-${index + 1}`,
      kept: `kept-${index + 1}`,
      known: new Set(),
      changes: new Set(),
      old: [],
      threads: [],
      givenUp: 0,
    });
    return { ...actor(`asker${index + 1}`), approver: actor(`approver${index + 1}`) };
  });
}

/** Messages of the bot that the person has not seen before and that are no card. */
export function news(actor: Actor, channel: string, isIt: (message: Seen) => boolean = isOnTop): readonly Seen[] {
  return actor.person
    .sees(channel)
    .filter((message) => message.author === "gantry" && !actor.known.has(message.ts) && isIt(message))
    .filter((message) => !isMeanwhile(message) && (message.isEphemeral || changeIn(message) === undefined));
}

/** Said while the answer or the card is late: that it is being worked on, or how a change is that its card doesn't show. */
export function isMeanwhile({ text }: Pick<Seen, "text">): boolean {
  return /^⏳ Working on it|^👍 Approved|There's no card in |^The card in .* can't be updated/mu.test(text);
}

/** The newest card of a change that the person has not seen before: of a post whose answer got lost there are two. */
export function newCard(actor: Actor, channel: string, service: string): Seen | undefined {
  return actor.person.sees(channel).findLast((message) => {
    const id = changeIn(message);
    const isCard = id !== undefined && !message.isEphemeral && !isMeanwhile(message);
    return isCard && !actor.changes.has(id) && message.text.includes(service);
  });
}

export const isOnTop = ({ threadTs, ts }: Seen): boolean => threadTs === undefined || threadTs === ts;

export function changeIn({ text }: Seen): string | undefined {
  return /^([0-9A-Z]{6})(?: · |$)/mu.exec(text)?.[1];
}

/** A card is drawn for so long after its end at most. */
const DRAWN_FOR_MS = 90_000;

/** Empties the channels as the soak goes on: whoever looks at a channel draws all of it. */
export function forgetOld({ people }: Playground, actor: Actor): void {
  const dueMs = performance.now() - DRAWN_FOR_MS;
  while (actor.old[0] !== undefined && actor.old[0].atMs < dueMs) {
    const gone = actor.old.shift();
    if (gone !== undefined) people.removeMessage(actor.person.channelId(gone.channel), gone.ts);
  }
}
