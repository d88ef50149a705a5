import type { ActionId } from "./operation-facts.ts";
import type { Risk } from "./question.ts";
import type { Terms } from "./verdict.ts";

/** What a rule may speak of: all reads, a risk of writes, all of it, or one deed. */
export type Deeds = "read" | Risk | "anything" | ActionId;

export type RuleEnd =
  | { readonly kind: "allow" }
  | { readonly kind: "break-glass" }
  | { readonly kind: "approve"; readonly terms: Terms }
  /** `say` stands in place of the sentence that is made for a refusal. */
  | { readonly kind: "refuse"; readonly say: string | undefined };

/** One rule as it is judged by. A list that is undefined speaks of everything. */
export type Rule = {
  readonly name: string;
  /** Where it begins in its file, counted from 1. */
  readonly line: number;
  /** `members`, `guests`, `outsiders`, `everyone`, or ids of users and user groups. */
  readonly who: readonly string[];
  /** `dm`, `channels`, or ids of channels. */
  readonly where: readonly string[] | undefined;
  readonly does: readonly Deeds[];
  readonly kinds: readonly ("service" | "job")[] | undefined;
  /** Patterns in which `*` stands for any characters, as in `regions` and `accounts`. */
  readonly names: readonly string[] | undefined;
  readonly regions: readonly string[] | undefined;
  readonly accounts: readonly string[] | undefined;
  readonly end: RuleEnd;
};

/** Rules in their order: the first that matches decides, and where none does the answer is no. */
export type Policy = {
  /** The file they were read from, as people know it. */
  readonly source: string;
  readonly rules: readonly Rule[];
};
