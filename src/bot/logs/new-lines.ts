import { hash } from "node:crypto";
import { z } from "zod";
import type { LogRecord } from "./excerpt.ts";

/**
 * What a follower of a log has seen of it: digests of the newest lines, oldest first. The workload API counts lines from the
 * newest and numbers none, so what is new is found by what it comes after.
 */
export const SeenLines = z.object({ tail: z.array(z.string()) });
export type SeenLines = z.infer<typeof SeenLines>;

/** Digests that are kept. More than one look brings as a rule. */
const KEPT = 200;
/** So many equal lines are no chance. */
const CERTAIN = 5;

export type NewLines = {
  /** The place of the first new line in the window, in which all others before it were seen. */
  readonly start: number;
  /** Nothing in the window was seen: lines in between may be missing. */
  readonly hasGap: boolean;
  /** Whether so few lines tell the place that it may be chance: a larger window tells more. */
  readonly isDoubtful: boolean;
  readonly seen: SeenLines;
};

/** Nothing was seen: everything that comes is new. */
export const nothingSeen: SeenLines = { tail: [] };

/**
 * What of the newest lines of a log is new, oldest first. Where lines are all alike, the smaller number of new ones is taken:
 * one may be missing then, but none comes twice. Notes at the end of a page, with which our workload API tells what is missing
 * now, are no lines that others come after. Pure.
 */
export function newLines(seen: SeenLines, window: readonly LogRecord[]): NewLines {
  const digests = window.map(digestOf);
  const end = endOfLines(window);
  const tail = { tail: digests.slice(0, end).slice(-KEPT) };
  if (seen.tail.length === 0) return { start: 0, hasGap: false, isDoubtful: false, seen: tail };
  if (window.length === 0) return { start: 0, hasGap: false, isDoubtful: false, seen };
  for (let start = end; start > 0; start -= 1) {
    if (endsLike(digests.slice(0, start), seen.tail)) {
      return { start, hasGap: false, isDoubtful: start < Math.min(CERTAIN, seen.tail.length), seen: tail };
    }
  }
  return { start: 0, hasGap: true, isDoubtful: true, seen: tail };
}

/** Of the two, as much as both have. */
function endsLike(digests: readonly string[], tail: readonly string[]): boolean {
  const count = Math.min(digests.length, tail.length);
  for (let at = 1; at <= count; at += 1) {
    if (digests[digests.length - at] !== tail[tail.length - at]) return false;
  }
  return true;
}

function endOfLines(window: readonly LogRecord[]): number {
  let end = window.length;
  while (end > 0 && NOTE.test(window[end - 1]?.text ?? "")) end -= 1;
  return end;
}

/** "newer lines are missing: …", "it is read live from Kubernetes: …": docs/kubernetes-logs.md. */
const NOTE = /^\[gantry\] (?:newer lines|.{0,300}\bread live\b|lines of \S+ are missing|Gantry has just begun)/u;

function digestOf({ instance = "", text }: LogRecord): string {
  return hash("sha1", `${instance}\n${text}`, "base64url").slice(0, 10);
}
