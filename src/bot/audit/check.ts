import { type ChainNote, type ChainPoint, digestOf, nextPoint, type SaltedEvent } from "./chain.ts";

/** What is wrong with a chain, at the first event that shows it. */
export type Finding = {
  /** Undefined when it isn't about one event, or about one that has no number yet. */
  readonly number: number | undefined;
  readonly says: string;
};

/** An event as it was kept: its place, what its place was computed from, and, unless it is hidden, what it says. */
export type ChainedEvent = {
  readonly number: number;
  readonly digest: string;
  readonly hash: string;
  /** Several where it isn't known which of them was committed to. Undefined: only its digest is shown. */
  readonly contents: readonly SaltedEvent[] | undefined;
};

const notes: Readonly<Record<ChainNote, string | undefined>> = {
  before: undefined,
  unmarked:
    "wasn't written by this Gantry: it has no mark. Another program wrote it, or a Gantry without the chain's key",
  altered: "was changed, or written by another program, before it joined the chain",
};

/** Follows a chain event by event. Each call says what is wrong with the next one, or undefined. */
export function createChecker(chain: string, start: ChainPoint) {
  let at = start;
  return {
    at: (): ChainPoint => at,
    next({ number, digest, hash, contents }: ChainedEvent): Finding | undefined {
      const expected = at.number + 1;
      if (number > expected) return { number: expected, says: removedText(expected, number - 1) };
      if (number < expected) {
        return {
          number,
          says: `Event ${number} is there twice, or isn't in its place: it comes after event ${at.number}.`,
        };
      }
      const point = nextPoint(chain, at, digest);
      const content = contents?.find((each) => digestOf(each) === digest);
      if (contents !== undefined && content === undefined) return { number, says: `Event ${number} was changed.` };
      if (point.hash !== hash) {
        return { number, says: `Event ${number} isn't what Gantry put there: it was moved, replaced or changed.` };
      }
      at = point;
      const note = content?.note && notes[content.note];
      return note === undefined ? undefined : { number, says: `Event ${number} ${note}.` };
    },
  };
}

export function removedText(from: number, to: number): string {
  return from === to ? `Event ${from} was removed.` : `Events ${from} to ${to} were removed.`;
}
