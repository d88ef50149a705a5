import { makeExcerpt, type Excerpt, type ExcerptInput } from "./excerpt.ts";
import { compileGrep } from "./grep.ts";

/** An excerpt as it is asked for: plain data, so that it can be sent to another thread. */
export type ExcerptRequest = Omit<ExcerptInput, "grep"> & {
  /** A person's regular expression. */
  readonly grep?: string | undefined;
};

/** Redacts, then filters. `onMatching` is called between the two. Throws UserError for an expression that is wrong. */
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
