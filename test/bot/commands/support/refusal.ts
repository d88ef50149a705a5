import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import { UserError } from "../../../../src/bot/errors.ts";

/** What a person would read: the sentence, the next step, the usage line. */
export function refusal(text: string): string {
  try {
    parseText(text);
  } catch (error) {
    if (error instanceof UserError) {
      return [error.message, error.next, error.usage, error.example].filter((part) => part !== undefined).join(" | ");
    }
    throw error;
  }
  return "no refusal";
}
