import type { Ask } from "./ask.ts";

/** A button under an error: it runs an Ask as if its words had been typed. */
export type Suggestion = {
  readonly ask: Ask;
  /** The words after the slash command, or the button's own label. */
  readonly words?: string;
  readonly label?: string;
};

type Hint = {
  readonly next?: string | undefined;
  readonly usage?: string | undefined;
  readonly example?: string | undefined;
  readonly suggestions?: readonly Suggestion[] | undefined;
};

/**
 * The person can mend it: what happened and why in one sentence, and the next step. It is shown as it stands, so it
 * never holds a token. `usage` and `example` are those of the verb that was asked for, without the command's name.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly next: string | undefined;
  readonly usage: string | undefined;
  readonly example: string | undefined;
  readonly suggestions: readonly Suggestion[];

  constructor(message: string, hint: Hint = {}) {
    super(message);
    this.next = hint.next;
    this.usage = hint.usage;
    this.example = hint.example;
    this.suggestions = hint.suggestions ?? [];
  }
}

/**
 * The database cannot be reached, is too slow, or takes nothing more. What was asked for may or may not have been stored,
 * so nothing may be sent on the strength of it. The message is a sentence for a person; it never holds an address with a
 * password, because drivers do not put one into their errors and nothing is added here but their code.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** Slack can't answer right now. Callers that can wait ask again later. */
export class SlackAway extends UserError {}
