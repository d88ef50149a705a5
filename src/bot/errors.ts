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
  /** The failure inside Gantry. Without one, the person made a mistake. */
  readonly cause?: unknown;
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
    super(message, hint.cause === undefined ? {} : { cause: hint.cause });
    this.next = hint.next;
    this.usage = hint.usage;
    this.example = hint.example;
    this.suggestions = hint.suggestions ?? [];
  }
}

/** The result, or the `UserError` that was thrown. Anything else is a bug, and is thrown on. */
export function attempt<Result>(work: () => Result): Result | UserError {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

/** What is read, or this where the person can't have it now: their answer is useful without it. */
export async function readOr<Result, Instead>(reading: Promise<Result>, instead: Instead): Promise<Result | Instead> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof UserError) return instead;
    throw error;
  }
}

/**
 * The database cannot be reached, is too slow, or takes nothing more. What was asked for may or may not have been stored,
 * so nothing may be sent on the strength of it. The message is a sentence for a person; it never holds an address with a
 * password, because drivers do not put one into their errors and nothing is added here but their code.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  /** What is wrong with the database, for the operator. */
  readonly why: string | undefined;

  constructor(message: string, { why, ...options }: ErrorOptions & { readonly why?: string } = {}) {
    super(message, options);
    this.why = why;
  }
}

/** Slack can't answer right now. Callers that can wait ask again later. */
export class SlackAway extends UserError {}

/** The sentence for a terminal. In Slack, people are told to contact the operator. */
export function operatorSentence({ why, message }: StoreError): string {
  if (why === undefined) return message;
  return `The database can't be used: ${why}. Check the database and its disk, and DATABASE_URL or GANTRY_DATA.`;
}

/** Stops a command about stored data. The message is a sentence for the operator. */
export class DataError extends Error {
  override readonly name = "DataError";
}
