import type { KyselyPlugin, UnknownRow } from "kysely";
import { z } from "zod";
import type { Sealer } from "../accounts/seal.ts";

/**
 * What people typed, and what was made of it, is sealed in its column, so that a copy of the database does not tell:
 * `change.reason`, `change.diff`, the reason in `change.ending`, and `event.result`.
 */
export type Words = {
  /** For a column of this Change, or of an event without one. */
  readonly seal: (text: string, changeId: string | undefined) => string;
};

/** Without a sealer, words are stored as they are. */
export function wordsSealedBy(sealer: Sealer | undefined): Words {
  return { seal: (text, changeId) => sealer?.seal(text, boundTo(changeId)) ?? text };
}

/**
 * Opens words in every row that is read. Rows of an older Gantry are not sealed and stay as they are. What does not open
 * (its key was removed, or somebody changed the row) reads as that: one bad row takes nothing else away.
 */
export function openingWords(sealer: Sealer): KyselyPlugin {
  return {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => ({ ...result, rows: result.rows.map((row) => openedRow(row, sealer)) }),
  };
}

function openedRow(row: UnknownRow, sealer: Sealer): UnknownRow {
  // An event has the id of its Change beside its own number.
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

/** The diff is JSON, and one that does not open is one line that says so. */
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

/** As the sealer writes it. */
function isSealed(text: unknown): text is string {
  return typeof text === "string" && /^g1\.[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9_-]{43,}$/u.test(text);
}

function boundTo(changeId: string | undefined): readonly string[] {
  return ["words", changeId ?? ""];
}
