import { makeExcerpt, type Excerpt, type ExcerptInput } from "./excerpt.ts";
import { compileGrep } from "./grep.ts";

/** A request for an excerpt, as plain data that can be sent to a worker thread. */
export type ExcerptRequest = Omit<ExcerptInput, "grep"> & {
  /** A person's regular expression. */
  readonly grep?: string | undefined;
};

/** Redacts, calls `onMatching`, then filters. Throws UserError for an invalid expression. */
export function excerptOf({ grep: source, ...input }: ExcerptRequest, onMatching: () => void = () => {}): Excerpt {
  if (source === undefined) return makeExcerpt(input);
  const grep = compileGrep(source);
  let isMatching = false;
  const test = (line: string): boolean => {
    if (!isMatching) onMatching();
    isMatching = true;
    return grep.test(line);
  };
  return makeExcerpt({ ...input, grep: { test } });
}
