import { commands } from "../verbs.ts";
import type { Ask } from "../ask.ts";
import type { Command } from "../command.ts";
import { findCommand } from "../verbs/help/help.ts";
import { splitWords } from "./words.ts";

export type Parsed = { readonly command: Command; readonly ask: Ask };

/**
 * What a person typed after the slash command, as the verb and its Ask; nothing typed is `help`. Pure. Throws a
 * `UserError` with the usage line of the verb, or with the verb that was probably meant.
 */
export function parseText(text: string): Parsed {
  const [verb = "help", ...words] = splitWords(text);
  const command = findCommand(commands, verb);
  return { command, ask: command.parse(words) };
}

/** The verb of an Ask that a button carried; throws a `UserError` when there is no such verb any more. */
export function commandOf(ask: Ask): Command {
  return findCommand(commands, ask.verb);
}
