type Hint = {
  readonly next?: string | undefined;
  readonly usage?: string | undefined;
  readonly example?: string | undefined;
};

/**
 * The person can fix it. The message is a sentence that is shown unchanged, so it must not contain a token. `usage` and
 * `example` are the verb's, without the command's name.
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

/**
 * The database is unreachable, too slow or full. The write may or may not have been stored, so nothing may be sent that
 * relies on it. The message is a sentence for people. It never contains a password: drivers keep addresses out of their
 * errors, and only their code is added.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
}
