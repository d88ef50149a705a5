// Has no imports, because a runtime may load it into every program.

/**
 * The latest run of one container of a job. Stored in a fixed-size file, created before the job is accepted and only
 * overwritten afterwards, so it can be updated on a full disk. A runtime may let the program
 * write its own end (UnitSpec.run), so the end is known even if the server died first.
 */
export type RunRecord =
  | { readonly state: "reserved" }
  | { readonly state: "begun"; readonly attempt: number }
  /** The engine stopped the unit during shutdown; not a failure of the job. */
  | { readonly state: "interrupted"; readonly attempt: number }
  | { readonly state: "ended"; readonly attempt: number; readonly code: number | null; readonly at: string };

/** Half of the smallest disk sector, so a write is atomic. */
const RECORD_BYTES = 256;

/** Encodes the record as the full content of its file. */
export function encodeRecord(record: RunRecord): string {
  return `${JSON.stringify(record).padEnd(RECORD_BYTES - 1)}\n`;
}
