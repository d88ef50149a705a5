import { UserError } from "../../errors.ts";
import type { Form, FormValues } from "./form.ts";
import { makeForm, type FormSource } from "./make-form.ts";
import { unfinishedValues, type Begun } from "./unfinished-values.ts";

/** The two members of a verb that can be asked for by pointing. */
export type Pointing = {
  readonly form: Form;
  readonly unfinished: (words: readonly string[]) => FormValues | undefined;
};

/** `begin` sorts the words of the verb without checking its arguments; it throws a `UserError` for wrong ones. Pure. */
export function pointing(source: FormSource, begin: (words: readonly string[]) => Begun): Pointing {
  return {
    form: makeForm(source),
    unfinished(words) {
      try {
        return unfinishedValues(source, begin(words));
      } catch (error) {
        // Wrong words are answered by `parse`.
        if (error instanceof UserError) return undefined;
        throw error;
      }
    },
  };
}
