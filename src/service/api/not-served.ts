/** The request is refused before an engine sees it: routing, authentication, validation and limits. */
export class NotServed extends Error {
  override readonly name = "NotServed";
  readonly status: 400 | 401 | 404 | 405 | 413 | 429;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: NotServed["status"], message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
