/** A test that may fail twice for now. */
export type Quarantined = {
  /** As the summary names it: `test/flows/reading/logs.test.ts: a page of lines`. */
  readonly test: string;
  readonly reason: string;
  /** 2026-11-29 */
  readonly since: string;
};

/** Another one has to be mended first. */
export const MOST_QUARANTINED = 5;

export const quarantine: readonly Quarantined[] = [];
