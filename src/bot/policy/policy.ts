import type { ActionId } from "./operation-facts.ts";
import type { Risk } from "./question.ts";
import type { Terms } from "./verdict.ts";

/** A word of `does`: all reads, writes of one risk, anything, or one action. */
export type RuleActions = "read" | Risk | "anything" | ActionId;

export type RuleEnd =
  | { readonly kind: "allow" }
  | { readonly kind: "break-glass" }
  | { readonly kind: "approve"; readonly terms: Terms }
  /** `say` replaces the generated sentence. */
  | { readonly kind: "refuse"; readonly say: string | undefined };

/** A list that is undefined matches everything. */
export type Rule = {
  readonly name: string;
  /** Where it begins in the file, counted from 1. */
  readonly line: number;
  /** `members`, `guests`, `outsiders`, `everyone`, or ids of users and user groups. */
  readonly who: readonly string[];
  /** `dm`, `channels`, or ids of channels. */
  readonly where: readonly string[] | undefined;
  readonly does: readonly RuleActions[];
  readonly kinds: readonly ("service" | "job")[] | undefined;
  /** Patterns with `*`, as in `regions` and `accounts`. */
  readonly names: readonly string[] | undefined;
  readonly regions: readonly string[] | undefined;
  readonly accounts: readonly string[] | undefined;
  readonly end: RuleEnd;
};

/** Rules in order: the first that matches decides; without a match the answer is no. */
export type Policy = {
  /** The name of the file, for people. */
  readonly source: string;
  readonly rules: readonly Rule[];
};
