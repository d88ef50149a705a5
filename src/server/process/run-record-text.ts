// Imports nothing: every program of the engine loads it before its first line (programs/lifeline.ts).

/**
 * What is known about the latest run of one container of a job. It is kept in a file of fixed size, which is made before
 * the job is accepted and only overwritten afterwards. So a run can be noted as begun and as ended while the disk is
 * full. The process itself writes its end (programs/lifeline.ts), so the end is known even when the engine died first.
 */
export type RunRecord =
  | { readonly state: "reserved" }
  | { readonly state: "begun"; readonly attempt: number }
  /** The process was stopped because the engine stopped: no failure of the job. */
  | { readonly state: "interrupted"; readonly attempt: number }
  | { readonly state: "ended"; readonly attempt: number; readonly code: number | null; readonly at: string };

/** Half of the smallest sector: written whole or not at all. */
const RECORD_BYTES = 256;

/** The record as the whole content of its file. */
export function encodeRecord(record: RunRecord): string {
  return `${JSON.stringify(record).padEnd(RECORD_BYTES - 1)}\n`;
}
