/**
 * How far a stream of a container's output is stored: up to the entry with which a line ended, or up to a piece of the long
 * line that an entry begins. Entries are told apart by their time and their number since that time, from 1: Podman's times
 * are whole seconds.
 */
export type Mark = {
  /** The newest time up to the entry, in nanoseconds: 19 digits. Empty before the first entry. */
  readonly time: string;
  readonly count: number;
  /** Of the long line that the entry begins; 0 where a line ended with it. */
  readonly pieces: number;
};

export type Position = {
  /** The daemon is asked for its entries since this time: what isn't stored yet is not older. */
  readonly from: string;
  readonly out: Mark;
  readonly err: Mark;
};

export const START: Mark = { time: "", count: 0, pieces: 0 };

/** As many as the daemons show. */
const ID_DIGITS = 12;

/** The text of a position in the log of this container. */
export function cursorOf(container: string, { from, out, err }: Position): string {
  return [container.slice(0, ID_DIGITS), from, textOf(out), textOf(err)].join(" ");
}

/** Undefined for a cursor of another container, which is one of an earlier start, or of another form. */
export function positionOf(container: string, cursor = ""): Position | undefined {
  const [of, ...rest] = cursor.split(" ");
  // Gantry up to 0.9 wrote one more time in front.
  const [from = "", out = "", err = ""] = rest.slice(-3);
  const [outAt, errAt] = [markOf(out), markOf(err)];
  if (of !== container.slice(0, ID_DIGITS) || !/^\d{19}$/u.test(from) || !outAt || !errAt) return undefined;
  return { from, out: outAt, err: errAt };
}

function textOf({ time, count, pieces }: Mark): string {
  return `${time}-${count}${pieces === 0 ? "" : `+${pieces}`}`;
}

function markOf(text: string): Mark | undefined {
  // Gantry up to 0.9 wrote bytes in hexadecimal digits in place of the pieces, the first one a letter.
  const [, time, count, pieces] = /^(\d{19}|)-(\d+)(?:\+(?:(\d*)|[a-f][\da-f]*))?$/u.exec(text) ?? [];
  return time === undefined ? undefined : { time, count: Number(count), pieces: Number(pieces ?? 0) };
}

/** Entries of a log can be out of order by less than this, or else a second reading would number them differently. */
const DISORDER_MS = 2_000;

/** Whether the machine's clock was set back between two entries. */
export function isSetBack(time: string, newest: string): boolean {
  return newest !== "" && momentOf(newest).getTime() - momentOf(time).getTime() > DISORDER_MS;
}

/** From where to read again, in whole seconds, so that the entry at the position is among them. */
export function sinceOf({ from }: Position): number {
  return Math.max(0, Math.floor((momentOf(from).getTime() - DISORDER_MS) / 1_000));
}

/** The moment of a time in nanoseconds. */
export function momentOf(time: string): Date {
  return new Date(Number(time.slice(0, 13)));
}
