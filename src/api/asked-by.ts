/**
 * Who asked Gantry for a write, and which request it is, for whatever serves the workload API. An extension: one that only
 * knows the document ignores these headers, and nothing depends on them.
 */
export type AskedBy = {
  /** An id without a meaning outside Slack: names and addresses of people don't leave Gantry. */
  readonly person: string;
  /** The id that history and the card show. */
  readonly request: string;
};

const PERSON = "gantry-requested-by";
const REQUEST = "gantry-request-id";
const LONGEST = 64;

/** Header values are ASCII, so everything else is percent-encoded. */
export function askedByHeaders(asked: AskedBy | undefined): Readonly<Record<string, string>> {
  if (asked === undefined) return {};
  return { [PERSON]: encoded(asked.person), [REQUEST]: encoded(asked.request) };
}

function encoded(text: string): string {
  return encodeURIComponent(text.slice(0, LONGEST).toWellFormed());
}

/** What a request says about it. A value that is too long or isn't one line of text counts as none. */
export function askedByIn(headers: Headers): Partial<AskedBy> {
  const person = decoded(headers.get(PERSON));
  const request = decoded(headers.get(REQUEST));
  return { ...(person !== undefined && { person }), ...(request !== undefined && { request }) };
}

function decoded(value: string | null): string | undefined {
  if (value === null || value.length > 9 * LONGEST) return undefined;
  try {
    const text = decodeURIComponent(value).trim();
    const isFit = text !== "" && text.length <= LONGEST && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
    return isFit ? text : undefined;
  } catch {
    return undefined;
  }
}
