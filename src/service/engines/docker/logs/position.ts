/**
 * How far a stream of a container's output was stored. The log can be read again from a second on, and the entries that
 * come again are told apart by their time and their number among those of that time: Podman's times are whole seconds.
 */
export type StreamPosition = {
  /** The newest time up to this entry, in nanoseconds: 19 digits. Empty before the first entry. */
  readonly time: string;
  /** Counts the entries since that time, from 1. */
  readonly count: number;
  /**
   * In the middle of a long line, whose part up to here is stored: the bytes at its end that begin a character, in
   * hexadecimal digits.
   */
  readonly open: string | undefined;
};

export type Position = {
  /** The newest time of both streams: what is not stored yet is not older, except for what a stream has unfinished. */
  readonly newest: string;
  /** From where on entries may not be stored yet, as a time. */
  readonly from: string;
  readonly out: StreamPosition;
  readonly err: StreamPosition;
};

export const START: StreamPosition = { time: "", count: 0, open: undefined };

/** As many as the daemons show. */
const ID_DIGITS = 12;

/** The text of a position in the log of this container. */
export function cursorOf(container: string, { newest, from, out, err }: Position): string {
  return [container.slice(0, ID_DIGITS), newest, from, textOf(out), textOf(err)].join(" ");
}

/** Undefined for a cursor of another container, which is one of an earlier start, or of another form. */
export function positionOf(container: string, cursor: string | undefined): Position | undefined {
  const [of, newest = "", from = "", out = "", err = ""] = cursor?.split(" ") ?? [];
  const [outAt, errAt] = [streamPositionOf(out), streamPositionOf(err)];
  if (of !== container.slice(0, ID_DIGITS) || !TIME.test(newest) || !TIME.test(from) || !outAt || !errAt)
    return undefined;
  return { newest, from, out: outAt, err: errAt };
}

const TIME = /^\d{19}$/u;

function textOf({ time, count, open }: StreamPosition): string {
  return `${time}-${count}${open === undefined ? "" : `+${open}`}`;
}

function streamPositionOf(text: string): StreamPosition | undefined {
  const [, time, count, open] = /^(\d{19}|)-(\d+)(?:\+([\da-f]*))?$/u.exec(text) ?? [];
  return time === undefined ? undefined : { time, count: Number(count), open };
}

/** Entries of a stream can be out of order by less than this, or else a second reading would number them differently. */
export const DISORDER_MS = 2_000;

/** From where to read again, in seconds since 1970, so that the entry at the position is among them. */
export function sinceOf({ from }: Position): number {
  return Math.max(0, Math.floor((momentOf(from).getTime() - DISORDER_MS) / 1_000));
}

/** The moment of a time in nanoseconds. */
export function momentOf(time: string): Date {
  return new Date(Number(time.slice(0, 13)));
}

/** Podman's times are whole seconds. */
export function hasWholeSeconds(time: string): boolean {
  return time.endsWith("000000000");
}
