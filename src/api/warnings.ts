/**
 * What the cluster behind the workload API warned of when it accepted a write, for example that a pod will be refused. An
 * extension: an API that only knows the document sends no such header, and nothing depends on it.
 */
const HEADER = "gantry-warnings";
const MOST = 3;
const LONGEST = 300;

/** Header values are ASCII without commas, so everything else is percent-encoded. */
export function warningHeaders(warnings: Iterable<string>): Readonly<Record<string, string>> {
  const told = [...new Set([...warnings].map(oneLine))].filter((text) => text !== "").slice(0, MOST);
  return told.length === 0 ? {} : { [HEADER]: told.map(encodeURIComponent).join(", ") };
}

/** What an answer says. A text that can't be decoded counts as none. */
export function warningsIn(headers: Headers): readonly string[] {
  const values = (headers.get(HEADER) ?? "").split(",", MOST);
  return [...new Set(values.map((value) => oneLine(decoded(value))))].filter((text) => text !== "");
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.trim());
  } catch {
    return "";
  }
}

function oneLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  const characters = Array.from(line);
  return characters.length <= LONGEST ? line : `${characters.slice(0, LONGEST - 1).join("")}…`;
}
