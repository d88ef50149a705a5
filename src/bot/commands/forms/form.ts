import type { Line } from "../../views/kit/blocks.ts";
import type { Ask } from "../../ask.ts";

/**
 * The texts of a form's fields. A ticked box is `yes`; empty fields are left out.
 */
export type FormValues = Readonly<Record<string, string>>;

/** The input decides how the field's text becomes an argument. */
export type FormInput =
  /** One line. */
  | { readonly kind: "text"; readonly maxLength: number }
  /** One item per line; empty lines are ignored. */
  | { readonly kind: "lines"; readonly maxLength: number }
  /** A command line; quotes group words. */
  | { readonly kind: "command"; readonly maxLength: number }
  | { readonly kind: "number"; readonly from: number; readonly to: number }
  | { readonly kind: "choice"; readonly options: readonly FormOption[]; readonly style: "menu" | "radio" }
  /** One of those that reading the workload found; without any, the field is left out. See `FormFacts`. */
  | { readonly kind: "listed" }
  /** Some of these; their values, separated by commas, are one argument. */
  | { readonly kind: "choices"; readonly options: readonly FormOption[] }
  | { readonly kind: "tick"; readonly text: string }
  /** Found by typing: live names, `service/web`. */
  | { readonly kind: "workload"; readonly of: "service" | "job" | "any" }
  /** An instance of the job that the field `name` names. */
  | { readonly kind: "instance" }
  | { readonly kind: "region" }
  /** A change that waits for approval. */
  | { readonly kind: "change" }
  /** A day, as `2026-11-20`. */
  | { readonly kind: "date" }
  /** A person, as `<@U0DANA>`. */
  | { readonly kind: "person" }
  /** A channel, by its id; at first the current one, if so. */
  | { readonly kind: "channel"; readonly isCurrent?: true };

export type FormOption = { readonly value: string; readonly text: string; readonly description?: string };

export type FormField = {
  /** The argument's name. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** Default: whether its argument may be missing. A box never has to be ticked. */
  readonly isOptional?: boolean;
  /** Shown only after "More settings". */
  readonly isMore?: boolean;
  /** A choice here changes the other fields, so the form is drawn again. */
  readonly redraws?: boolean;
  /** Lines `NAME=value`. The bot never sends a typed value back to Slack. */
  readonly isSecret?: boolean;
  readonly input: FormInput;
};

/** Sentences for the head of a form, values for its empty fields, and the options of its fields that list them. */
export type FormFacts = {
  readonly notes: readonly Line[];
  readonly values: FormValues;
  readonly options?: Readonly<Record<string, readonly FormOption[]>>;
};

export const noFacts: FormFacts = { notes: [], values: {} };

export type FilledForm =
  | { readonly kind: "ask"; readonly ask: Ask }
  /** A sentence under each field that is wrong; at least one. */
  | { readonly kind: "errors"; readonly errors: Readonly<Record<string, string>> };
