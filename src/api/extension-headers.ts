import { decodedIn, defined } from "../platform/optional.ts";

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
const LONGEST_ID = 64;

/** Header values are ASCII, so everything else is percent-encoded. */
export function askedByHeaders(asked: AskedBy | undefined): Readonly<Record<string, string>> {
  if (asked === undefined) return {};
  return { [PERSON]: encoded(asked.person), [REQUEST]: encoded(asked.request) };
}

function encoded(text: string): string {
  return encodeURIComponent(text.slice(0, LONGEST_ID).toWellFormed());
}

/** What a request says about it. A value that is too long or isn't one line of text counts as none. */
export function askedByIn(headers: Headers): Partial<AskedBy> {
  return defined({ person: idIn(headers.get(PERSON)), request: idIn(headers.get(REQUEST)) });
}

function idIn(value: string | null): string | undefined {
  if (value === null || value.length > 9 * LONGEST_ID) return undefined;
  const text = decodedIn(value)?.trim() ?? "";
  const isFit = text !== "" && text.length <= LONGEST_ID && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
  return isFit ? text : undefined;
}

/**
 * What the cluster behind the workload API warned of when it accepted a write, for example that a pod will be refused. An
 * extension: an API that only knows the document sends no such header, and nothing depends on it.
 */
const WARNINGS = "gantry-warnings";
const MOST_WARNINGS = 3;
const LONGEST_WARNING = 300;

/** Header values are ASCII without commas, so everything else is percent-encoded. */
export function warningHeaders(warnings: Iterable<string>): Readonly<Record<string, string>> {
  const told = [...new Set([...warnings].map(oneLine))].filter((text) => text !== "").slice(0, MOST_WARNINGS);
  return told.length === 0 ? {} : { [WARNINGS]: told.map(encodeURIComponent).join(", ") };
}

/** What an answer says. A text that can't be decoded counts as none. */
export function warningsIn(headers: Pick<Headers, "get">): readonly string[] {
  const values = (headers.get(WARNINGS) ?? "").split(",", MOST_WARNINGS);
  return [...new Set(values.map((value) => oneLine(decodedIn(value.trim()) ?? "")))].filter((text) => text !== "");
}

function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  const characters = Array.from(line);
  return characters.length <= LONGEST_WARNING ? line : `${characters.slice(0, LONGEST_WARNING - 1).join("")}…`;
}
