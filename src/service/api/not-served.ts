type Options = ErrorOptions & { readonly headers?: Readonly<Record<string, string>> };

/**
 * Refuses a request before an engine sees it: routing, authentication, validation and limits. The `cause` is logged and
 * never sent to the client.
 */
export class NotServed extends Error {
  override readonly name = "NotServed";
  readonly status: 400 | 401 | 404 | 405 | 413 | 415 | 429;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: NotServed["status"], message: string, { headers = {}, ...options }: Options = {}) {
    super(message, options);
    this.status = status;
    this.headers = headers;
  }
}
