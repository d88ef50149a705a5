import { UserError } from "../../errors.ts";
import { commands } from "../verbs.ts";
import type { Command } from "../command.ts";
import type { Form, FormValues } from "./form.ts";
import { splitWords } from "../grammar/words.ts";
import { findCommand } from "../verbs/help/help.ts";

/** A verb that has a form. */
export type FormCommand = Command & { readonly form: Form };

/** The verb of this name, if it has a form. */
export function formCommand(verb: string): FormCommand | undefined {
  try {
    const command = findCommand(commands, verb);
    return hasForm(command) ? command : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function hasForm(command: Command): command is FormCommand {
  return command.form !== undefined;
}

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
