import { z } from "zod";
import { UserError } from "../errors.ts";
import { helpList, helpVerb } from "../views/help.ts";
import type { Command, ReadCommand } from "./command.ts";
import { nearest } from "./nearest.ts";
import { readVerb } from "./verb.ts";

/** Help is drawn from the verbs themselves; a function, because the list of verbs holds this one. */
export function helpCommand(all: () => readonly Command[]): ReadCommand {
  return readVerb({
    name: "help",
    summary: "Show the verbs, or one verb with its flags",
    usage: "help [VERB]",
    example: "help create",
    flags: {},
    words: 1,
    args: z.object({ verb: z.string().optional() }),
    read: ({ positionals: [verb] }) => ({ verb }),
    async answer({ verb }, { settings: { command } }) {
      if (verb === undefined) return helpList({ commands: all(), command });
      return helpVerb({ verb: findCommand(all(), verb), command });
    },
  });
}

/** The verb of that name, or a `UserError` with the nearest one. */
export function findCommand(all: readonly Command[], verb: string): Command {
  const found = all.find(({ name }) => name === verb.toLowerCase());
  if (found !== undefined) return found;
  const [near] = nearest(
    verb,
    all.map(({ name }) => name),
  );
  throw new UserError(`There is no verb “${verb}”.`, {
    next: near === undefined ? "Type help to see the verbs." : `Did you mean ${near}? Type help to see all verbs.`,
    usage: all.find(({ name }) => name === near)?.usage,
    example: all.find(({ name }) => name === near)?.example,
  });
}
