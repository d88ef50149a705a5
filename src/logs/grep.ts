import { RE2JS, RE2JSException } from "re2js";
import { UserError } from "../errors.ts";

export type Grep = { readonly source: string; test(line: string): boolean };

const LONGEST = 200;
const example =
  "Plain words work too: `--grep timeout`. Capitals and small letters count the same; begin with `(?-i)` to tell them apart.";

/**
 * Compiles a person's regular expression. RE2 matches in linear time, so no expression can block the bot; it has no
 * look-around and no back-references (https://github.com/google/re2/wiki/Syntax). Throws UserError.
 */
export function compileGrep(source: string): Grep {
  if (source === "") throw new UserError("The expression after `--grep` is empty.", { next: example });
  if (source.length > LONGEST) {
    throw new UserError(`The expression is ${source.length} characters long; at most ${LONGEST} are searched for.`, {
      next: "Search for a shorter part of it.",
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
    throw new UserError(`The expression is not one that can be searched for: ${why}.`, {
      next: `Put a backslash before characters with a meaning, such as \`\\[\` or \`\\(\`. ${example}`,
    });
  }
}
