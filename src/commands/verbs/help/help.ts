import { z } from "zod";
import { helpList, helpVerb } from "./view.ts";
import type { Command, Permissions, ReadCommand } from "../../command.ts";
import { findCommand } from "../../grammar/find-command.ts";
import { readVerb } from "../../grammar/verb.ts";

/** Takes a function because the list of verbs holds this verb. */
export function helpCommand(all: () => readonly Command[]): ReadCommand {
  return readVerb({
    name: "help",
    summary: "Show what you may do here, or one verb with its flags",
    example: "help create",
    words: { verb: "[VERB]" },
    args: z.object({ verb: z.string().optional() }),
    forEverybody: true,
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
    verb.actions.map(async (action) => ({ ...action, outlook: await permissions.outlook([action]) })),
  );
  return helpVerb({ verb, command, outlooks });
}
