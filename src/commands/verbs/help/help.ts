import { z } from "zod";
import { UserError } from "../../../errors.ts";
import { helpList, helpVerb } from "./view.ts";
import type { Command, Permissions, ReadCommand } from "../../command.ts";
import { nearNames } from "../../../policy/near-names.ts";
import { freeVerb } from "../../grammar/verb.ts";

/** Help is drawn from the verbs themselves; a function, because the list of verbs holds this one. */
export function helpCommand(all: () => readonly Command[]): ReadCommand {
  return freeVerb({
    name: "help",
    summary: "Show what you may do here, or one verb with its flags",
    usage: "help [VERB]",
    example: "help create",
    flags: {},
    words: 1,
    args: z.object({ verb: z.string().optional() }),
    read: ({ positionals: [verb] }) => ({ verb }),
    async answer({ verb }, { settings: { command }, permissions }) {
      if (verb !== undefined) return oneVerb(findCommand(all(), verb), command, permissions);
      const commands = await Promise.all(
        all().map(async (each) => ({
          ...each,
          outlook: each.actions.length === 0 ? ("allow" as const) : await permissions.outlook(each.actions),
        })),
      );
      return helpList({ commands, command });
    },
  });
}

async function oneVerb(verb: Command, command: string, permissions: Permissions) {
  const outlooks = await Promise.all(
    verb.actions.map(async (deed) => ({ ...deed, outlook: await permissions.outlook([deed]) })),
  );
  return helpVerb({ verb, command, outlooks });
}

/** The verb of that name, or a `UserError` with the nearest one. */
export function findCommand(all: readonly Command[], verb: string): Command {
  const found = all.find(({ name }) => name === verb.toLowerCase());
  if (found !== undefined) return found;
  const [near] = nearNames(
    verb,
    all.map(({ name }) => name),
  );
  throw new UserError(`There is no verb “${verb}”.`, {
    next: near === undefined ? "Type help to see the verbs." : `Did you mean ${near}? Type help to see all verbs.`,
    usage: all.find(({ name }) => name === near)?.usage,
    example: all.find(({ name }) => name === near)?.example,
  });
}
