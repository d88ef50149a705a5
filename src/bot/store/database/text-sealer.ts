import { z } from "zod";
import type { Sealer } from "../../accounts/seal.ts";

/**
 * Text that people typed, and text derived from it, is sealed per column, so a copy of the database reveals nothing:
 * `change.reason`, `change.diff`, the reason in `change.ending`, and `event.result`. `changeId` is null for history
 * without a Change.
 */
export type TextSealer = {
  readonly seal: (text: string, bound: Bound) => string;
  /**
   * Rows of older versions are not sealed and stay as they are. Text that can't be opened (removed key, altered row) reads
   * as a placeholder: one bad row must not hide the others.
   */
  readonly open: (text: string, bound: Bound) => string;
  /** For text that is carried out: with a sealer, text without a seal reads as the placeholder, too, because Gantry didn't write it. */
  readonly openSealed: (text: string, bound: Bound) => string;
};

/** What a sealed text belongs to; it can't be opened for anything else. Usually the id of a Change, or null. */
export type Bound = string | null | readonly string[];

/** Without a sealer, text is stored in the clear. */
export function textSealer(sealer: Sealer | undefined): TextSealer {
  const open = (text: string, bound: Bound): string => {
    if (sealer === undefined || !isSealed(text)) return text;
    try {
      return sealer.open(text, boundTo(bound));
    } catch {
      return LOST;
    }
  };
  return {
    seal: (text, bound) => sealer?.seal(text, boundTo(bound)) ?? text,
    open,
    openSealed: (text, bound) => (sealer === undefined || isSealed(text) ? open(text, bound) : LOST),
  };
}

export const LOST = "(can't be read: the key that sealed this is gone)";

const WithReason = z.looseObject({ reason: z.string() });

/** An ending as JSON, of which only the reason is sealed. */
export function openEnding({ open }: TextSealer, text: string, changeId: string): string {
  if (!text.includes('"reason":"g1.')) return text;
  const ending = WithReason.safeParse(JSON.parse(text)).data;
  return ending === undefined ? text : JSON.stringify({ ...ending, reason: open(ending.reason, changeId) });
}

/** Matches the sealer's format. */
function isSealed(text: string): boolean {
  return /^g1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]{43,}$/u.test(text);
}

function boundTo(bound: Bound): readonly string[] {
  return typeof bound === "string" || bound === null ? ["words", bound ?? ""] : bound;
}
