import { attempt, UserError } from "../../errors.ts";
import type { Ask } from "../../ask.ts";
import type { Command, Form } from "../command.ts";
import type { FormValues } from "../forms/form.ts";
import { commands } from "../verbs.ts";
import { menuAsk } from "../verbs/help.ts";
import { findCommand } from "./find-command.ts";
import { splitWords } from "./words.ts";

export type Parsed = { readonly command: Command; readonly ask: Ask };

/**
 * The verb and Ask of the text after the slash command; an empty text asks for the short menu. Pure. Throws a `UserError` with the
 * usage line of the verb, or with the nearest verb.
 */
export function parseText(text: string): Parsed {
  return parseWords(withoutTool(splitWords(text)));
}

const TOOL = /^(?:kubectl|oc|k|docker|docker-compose|podman|helm)$/iu;

/** What people type out of habit: `kubectl get pods`, `docker compose ps`. */
export function withoutTool(words: readonly string[]): readonly string[] {
  const [tool = "", second = "", ...rest] = words;
  if (!TOOL.test(tool) || second === "") return words;
  return /^compose$/iu.test(second) && rest.length > 0 ? rest : words.slice(1);
}

/** `parseText` for words that are split already. */
export function parseWords(typed: readonly string[]): Parsed {
  const [first, ...rest] = withTwoWordName(typed);
  if (first === undefined) return { command: findCommand(commands, menuAsk.verb), ask: menuAsk };
  // `status` is about Gantry, `status web` about a workload.
  const verb = first.toLowerCase() === "status" && rest[0]?.startsWith("-") === false ? "show" : first;
  const command = findCommand(commands, verb, rest);
  if (!asksForHelp(rest)) return { command, ask: command.parse(rest) };
  return { command: findCommand(commands, "help"), ask: { verb: "help", share: false, args: { verb: command.name } } };
}

/** A verb of two words becomes one: `roll back web`, `rollout undo web`. */
function withTwoWordName(typed: readonly string[]): readonly string[] {
  const [first = "", second = "", ...rest] = typed;
  const both = `${first} ${second}`.toLowerCase();
  return commands.some(({ aliases = [] }) => aliases.includes(both)) ? [both, ...rest] : typed;
}

/** `-h` or `--help` after a verb, but not as a flag's value or in a container's command. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const own = end < 0 ? words : words.slice(0, end);
  return own.some((word, at) => word === "--help" || (word === "-h" && own[at - 1]?.startsWith("--") !== true));
}

/** The answer to a greeting, and to a mention without words. */
export function menu(): Parsed {
  return parseWords([]);
}

/** The verb of an Ask from a button. Throws a `UserError` when the verb no longer exists. */
export function commandOf(ask: Ask): Command {
  return findCommand(commands, ask.verb);
}

/** A verb that has a form. */
export type FormCommand = Command & { readonly form: Form };

/** The verb of this name, if it has a form. */
export function formCommand(verb: string): FormCommand | undefined {
  const command = attempt(() => findCommand(commands, verb));
  return !(command instanceof UserError) && hasForm(command) ? command : undefined;
}

function hasForm(command: Command): command is FormCommand {
  return command.form !== undefined;
}

export type Unfinished = { readonly command: FormCommand; readonly values: FormValues };

/** The form for words that lack only what its form asks for. Undefined for complete and for wrong words. Pure. */
export function unfinishedWords(typed: readonly string[]): Unfinished | undefined {
  const [verb = "", ...words] = withTwoWordName(typed);
  const command = asksForHelp(words) ? undefined : formCommand(verb);
  const values = command?.unfinished?.(words);
  return command === undefined || values === undefined ? undefined : { command, values };
}
