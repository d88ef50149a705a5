import { splitWords } from "../commands/words.ts";
import type { FormValues } from "../commands/form.ts";
import { UserError } from "../errors.ts";
import { type FormCommand, formCommand } from "./form-metadata.ts";

type Begun = { readonly command: FormCommand; readonly values: FormValues };

/** What a form can go on with: words that lack only what it asks for. Undefined for words that are wrong. Pure. */
export function begunIn(text: string): Begun | undefined {
  const [verb = "", ...words] = split(text);
  const command = formCommand(verb);
  const values = command?.unfinished?.(words);
  return command === undefined || values === undefined ? undefined : { command, values };
}

function split(text: string): readonly string[] {
  try {
    return splitWords(text);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
