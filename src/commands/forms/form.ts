import type { Ask } from "../ask.ts";
import type { Context } from "../command.ts";

/**
 * What stands in a form, by field: what was typed or chosen, as text; a box that is ticked holds `yes`. A field in which
 * nothing stands is left out.
 */
export type FormValues = Readonly<Record<string, string>>;

/** How a field is filled in, and so how its text becomes an argument. */
export type FormInput =
  /** One line. */
  | { readonly kind: "text"; readonly maxLength: number }
  /** One item a line; empty lines count for nothing. */
  | { readonly kind: "lines"; readonly maxLength: number }
  /** A command line; quotes group words. */
  | { readonly kind: "command"; readonly maxLength: number }
  | { readonly kind: "number"; readonly from: number; readonly to: number }
  | { readonly kind: "choice"; readonly options: readonly FormOption[]; readonly style: "menu" | "radio" }
  | { readonly kind: "tick"; readonly text: string }
  /** Found by typing: live names, `service/web`. */
  | { readonly kind: "workload"; readonly of: "service" | "job" | "any" }
  /** An instance of the job that the field `name` names. */
  | { readonly kind: "instance" }
  | { readonly kind: "region" }
  /** A change that waits for votes. */
  | { readonly kind: "change" }
  /** A day, as `2026-11-20`. */
  | { readonly kind: "date" }
  /** Somebody of the workspace, as `<@U0DANA>`. */
  | { readonly kind: "person" };

export type FormOption = { readonly value: string; readonly text: string; readonly description?: string };

export type FormField = {
  /** The name of the argument. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly isOptional?: boolean;
  /** Shown only after "More settings". */
  readonly isMore?: boolean;
  /** What is chosen here changes what else the form shows. */
  readonly redraws?: boolean;
  /** Lines `NAME=value`, of which no value is sent to Slack again once somebody has typed it there. */
  readonly isSecret?: boolean;
  readonly input: FormInput;
};

/** What was read for a form: sentences for its head, and values for fields in which nothing stands yet. */
export type FormFacts = { readonly notes: readonly string[]; readonly values: FormValues };

export const noFacts: FormFacts = { notes: [], values: {} };

export type FilledForm =
  | { readonly kind: "ask"; readonly ask: Ask }
  /** A sentence under each field that is wrong; at least one. */
  | { readonly kind: "errors"; readonly errors: Readonly<Record<string, string>> };

/** The other way to the same Ask: what a verb asks for in a form. */
export type Form = {
  /** At most 24 characters, like `submit`. */
  readonly title: string;
  readonly submit: string;
  /** In their order; some depend on what was chosen in others. Pure. */
  readonly fields: (values: FormValues) => readonly FormField[];
  /** What the person should know before they decide; at most one call where the kind is known. Throws as `propose` does. */
  readonly prefill?: (values: FormValues, region: string | undefined, context: Context) => Promise<FormFacts>;
  /** Whether what it would do is shown, and agreed to, before it is done. */
  readonly hasPreview?: true;
  /** The Ask, checked by the schema that checks words. Pure. */
  readonly fill: (values: FormValues) => FilledForm;
};
