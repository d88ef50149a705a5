import { z } from "zod";
import type { Sealer } from "../../accounts/seal.ts";

/**
 * Text that people typed, text that the workload API says, and text derived from them, is sealed per column, so a copy of
 * the database reveals nothing: `sealed-columns.ts` lists them. `changeId` is null for history without a Change.
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

/** What stays readable of an ending or a health: SQL looks into it, and it is read when the key is gone. Ids and no texts. */
const Beside = z.object({
  kind: z.string(),
  by: z.unknown().optional(),
  outcome: z.object({ kind: z.string() }).optional().catch(undefined),
});
const Stored = Beside.extend({ sealed: z.string().optional(), reason: z.string().optional() });

/** The texts of these are our own. */
const withoutTexts: ReadonlySet<string> = new Set(["cancelled", "expired"]);

/** An ending or a health as JSON, sealed as a whole: it holds what the workload API said, and the last lines of a log. */
export function sealJson({ seal }: TextSealer, text: string, changeId: string): string {
  const beside = Beside.parse(JSON.parse(text));
  return withoutTexts.has(beside.kind) ? text : JSON.stringify({ ...beside, sealed: seal(text, changeId) });
}

/** The reverse. Without the key, the texts are a placeholder. Of a rejection, older versions sealed only the reason. */
export function openJson({ open }: TextSealer, text: string, changeId: string): string {
  if (!/"(?:sealed|reason)":"/u.test(text)) return text;
  const { sealed, reason, ...beside } = Stored.parse(JSON.parse(text));
  if (sealed === undefined) return JSON.stringify({ ...beside, reason: reason && open(reason, changeId) });
  const opened = open(sealed, changeId);
  if (opened.startsWith("{")) return opened;
  const after = beside.outcome?.kind === "unknown" ? "unread" : undefined;
  const outcome = beside.outcome && { ...beside.outcome, after, alsoMoved: [], why: LOST, next: "" };
  return JSON.stringify({ ...beside, outcome, reason: LOST, drift: [], line: LOST, excerpt: [] });
}

/** Matches the sealer's format. */
function isSealed(text: string): boolean {
  return /^g1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]{43,}$/u.test(text);
}

function boundTo(bound: Bound): readonly string[] {
  return typeof bound === "string" || bound === null ? ["words", bound ?? ""] : bound;
}
