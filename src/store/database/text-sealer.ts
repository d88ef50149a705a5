import type { KyselyPlugin, UnknownRow } from "kysely";
import { z } from "zod";
import type { Sealer } from "../../accounts/seal.ts";

/**
 * Text that people typed, and text derived from it, is sealed per column, so a copy of the database reveals nothing:
 * `change.reason`, `change.diff`, the reason in `change.ending`, and `event.result`.
 */
export type TextSealer = {
  /** `changeId` is undefined for events without a Change. */
  readonly seal: (text: string, changeId: string | undefined) => string;
};

/** Without a sealer, text is stored in the clear. */
export function textSealer(sealer: Sealer | undefined): TextSealer {
  return { seal: (text, changeId) => sealer?.seal(text, boundTo(changeId)) ?? text };
}

/**
 * Opens sealed text in every row that is read. Rows of older versions are not sealed and stay as they are. Text that
 * can't be opened (removed key, altered row) reads as a placeholder: one bad row must not hide the others.
 */
export function openSealedText(sealer: Sealer): KyselyPlugin {
  return {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => ({ ...result, rows: result.rows.map((row) => openedRow(row, sealer)) }),
  };
}

function openedRow(row: UnknownRow, sealer: Sealer): UnknownRow {
  // An event row has both its own id and the Change's.
  const id = "change_id" in row ? row["change_id"] : row["id"];
  const bind = boundTo(typeof id === "string" ? id : undefined);
  const open = (text: string): string => {
    try {
      return sealer.open(text, bind);
    } catch {
      return LOST;
    }
  };
  const { reason, result, diff, ending } = row;
  return {
    ...row,
    ...(isSealed(reason) && { reason: open(reason) }),
    ...(isSealed(result) && { result: open(result) }),
    ...(isSealed(diff) && { diff: linesIn(open(diff)) }),
    ...(typeof ending === "string" && ending.includes('"reason":"g1.') && { ending: openedEnding(ending, open) }),
  };
}

const LOST = "(can't be read: the key that sealed this is gone)";

/** The diff column must be JSON, so the placeholder becomes its only line. */
function linesIn(text: string): string {
  return text === LOST ? JSON.stringify([LOST]) : text;
}

const WithReason = z.looseObject({ reason: z.string() });

function openedEnding(text: string, open: (text: string) => string): string {
  const ending = WithReason.safeParse(JSON.parse(text)).data;
  return ending !== undefined && isSealed(ending.reason)
    ? JSON.stringify({ ...ending, reason: open(ending.reason) })
    : text;
}

/** Matches the sealer's format. */
function isSealed(text: unknown): text is string {
  return typeof text === "string" && /^g1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]{43,}$/u.test(text);
}

function boundTo(changeId: string | undefined): readonly string[] {
  return ["words", changeId ?? ""];
}
