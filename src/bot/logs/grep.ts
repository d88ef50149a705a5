import { RE2JS, RE2JSException } from "re2js";
import { UserError } from "../errors.ts";

export type Grep = { readonly source: string; test(line: string): boolean };

const LONGEST = 200;
const example = "Plain text works too: `--grep timeout`. Start with `(?-i)` to match upper and lower case exactly.";

/**
 * Compiles a person's regular expression. RE2 matches in linear time, so no expression can block the bot; it has no
 * look-around and no back-references (https://github.com/google/re2/wiki/Syntax). Throws UserError.
 */
export function compileGrep(source: string): Grep {
  if (source === "") throw new UserError("`--grep` needs a text to search for.", { next: example });
  if (source.length > LONGEST) {
    throw new UserError(`The filter has ${source.length} characters. The limit is ${LONGEST}.`, {
      next: "Use a shorter filter.",
    });
  }
  const pattern = compile(source);
  return { source, test: (line) => pattern.test(line) };
}

function compile(source: string): RE2JS {
  try {
    // Someone searching for "error" at night means "ERROR" too.
    return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const why = error.message.replace(/^error parsing regexp: /u, "").slice(0, 150);
    throw new UserError(`I can't search for this regular expression: ${why}.`, {
      next: `Put a backslash before special characters, such as \`\\[\` or \`\\(\`. ${example}`,
    });
  }
}

/** Searching or redacting takes too long. Fewer lines may work. */
export class TooExpensive extends UserError {}
