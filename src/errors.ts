type Hint = {
  readonly next?: string | undefined;
  readonly usage?: string | undefined;
  readonly example?: string | undefined;
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

  constructor(message: string, hint: Hint = {}) {
    super(message);
    this.next = hint.next;
    this.usage = hint.usage;
    this.example = hint.example;
  }
}
