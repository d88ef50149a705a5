import { Environment } from "../environment.ts";
import { type Asker, type Choice, type Question, SetupError } from "./asker.ts";
import type { EnvChanges } from "./env-lines.ts";

/** What the answers so far say, by the names of variables. */
export type Known = {
  readonly asker: Asker;
  /** From the command line: these aren't asked for. */
  readonly given: EnvChanges;
  /** From the environment and the file: these are suggested. */
  readonly set: EnvChanges;
};

type Variable = { readonly name: string; readonly flag: string; readonly message: string; readonly byDefault?: string };

type How = "text" | "secret";

/** One variable: from the command line, else asked for. */
export async function askFor(known: Known, how: How, variable: Variable): Promise<string> {
  const { asker, given, set } = known;
  const { name, flag, message, byDefault } = variable;
  const problem = (value: string): string | undefined => problemOf(name, value);
  const answer = given[name];
  if (answer === undefined) {
    const question: Question = { flag, message, current: set[name] ?? byDefault, problem };
    return how === "secret" ? asker.secret(question) : asker.text(question);
  }
  const wrong = problem(answer);
  if (wrong !== undefined) throw new SetupError(`--${flag}: ${wrong}`);
  return answer;
}

/** One of several ways: from the command line, else asked for. */
export async function askWhich<Value extends string>(
  asker: Asker,
  option: string | undefined,
  choice: Choice<Value>,
): Promise<Value> {
  if (option === undefined) return asker.choose(choice);
  const values = choice.options.map(({ value }) => value);
  const found = values.find((value) => value === option);
  if (found === undefined) throw new SetupError(`--${choice.flag} takes ${values.join(" or ")}.`);
  return found;
}

/** Why the variable can't have this value, as a sentence. */
function problemOf(name: string, value: string): string | undefined {
  const shape: Readonly<
    Record<string, { safeParse: (value: string) => { error?: { issues: { message: string }[] } } }>
  > = Environment.shape;
  const message = shape[name]?.safeParse(value).error?.issues[0]?.message;
  return message === undefined ? undefined : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
