import type { Rule } from "./rule.ts";

/** Rules in their order: the first that matches decides, and where none does the answer is no. */
export type Policy = {
  /** The file they were read from, as people know it. */
  readonly source: string;
  readonly rules: readonly Rule[];
};
