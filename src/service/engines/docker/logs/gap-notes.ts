import { type EntryFilter, isSetBack } from "./entry-filter.ts";
import { momentOf, type Position, sinceOf, type StreamPosition } from "./position.ts";

export type GapNotes = {
  /** A note for the log before the entry of this time, if something is missing there. */
  readonly before: (time: string) => string | undefined;
  /** The newest time of all entries. */
  readonly newest: () => string;
};

type Streams = Readonly<Record<"out" | "err", Pick<EntryFilter, "isConnected">>>;

/** Finds what is missing in a log that is read from a position on; `why` is the note for it. */
export function makeGapNotes(after: Position | undefined, { out, err }: Streams, why: string): GapNotes {
  let newest = after?.newest ?? "";
  let isConnected = after === undefined;

  /** The entry at the position is read again, unless the daemon deleted it. */
  function isComplete(): boolean {
    if (!after) return true;
    return (
      (out.isConnected() || !isReadAgain(after, after.out)) && (err.isConnected() || !isReadAgain(after, after.err))
    );
  }

  return {
    before(time) {
      if (time <= newest) {
        if (!isConnected || !isSetBack(time, newest)) return undefined;
        newest = time;
        return CLOCK;
      }
      newest = time;
      const isGap = !isConnected && !isComplete();
      isConnected = true;
      return isGap ? why : undefined;
    },
    newest: () => newest,
  };
}

const CLOCK = "the machine's clock was set back here: lines from then on can be missing or come twice";

function isReadAgain(after: Position, { time }: StreamPosition): boolean {
  return time !== "" && momentOf(time).getTime() >= sinceOf(after) * 1_000;
}
