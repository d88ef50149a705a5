import { z } from "zod";
import { helpAll, helpStart, helpVerb } from "./view.ts";
import { groupOf } from "./groups.ts";
import { shortMenu } from "./short-menu.ts";
import type { Ask } from "../../../ask.ts";
import type { Command, Permissions, ReadCommand } from "../../command.ts";
import { findCommand } from "../../grammar/find-command.ts";
import { readVerb } from "../../grammar/verb.ts";

/** The Ask of the slash command without any words. */
export const menuAsk: Ask = { verb: "help", share: false, args: { view: "menu" } };

/** Takes a function because the list of verbs holds this verb. */
export function helpCommand(all: () => readonly Command[]): ReadCommand {
  return readVerb({
    name: "help",
    summary: "Show the commands you can use here",
    usage: "help [COMMAND | all]",
    example: "help create",
    aliases: ["-h", "--help", "?", "man", "commands"],
    near: ["usage", "menu", "manual", "docs"],
    phrases: [
      [
        "(which|what) (commands|verbs) (are there|do you (have|know))|what are (your|the) commands|SHOW[all ][the ]commands",
        "help all",
      ],
      ["how (do|can) (i|we|you) use (you|this|gantry)|[i need ]help", "help"],
      ["(how (do|can) (i|we|you)|how to) VERB[ ANYTHING]", "help VERB"],
    ],
    words: { verb: "[COMMAND]" },
    args: z.object({ verb: z.string().optional(), view: z.literal("menu").optional() }),
    forEverybody: true,
    async answer({ verb, view }, { settings: { command }, permissions }) {
      if (view === "menu") return shortMenu(command);
      const isAll = verb?.toLowerCase() === "all";
      if (verb !== undefined && !isAll) return oneVerb(findCommand(all(), verb), command, permissions);
      const commands = await Promise.all(
        all().map(async (each) => ({
          ...each,
          group: groupOf(each),
          outlook: each.actions.length === 0 ? ("allow" as const) : await permissions.outlook(each.actions),
        })),
      );
      return isAll ? helpAll({ commands, command }) : helpStart({ commands, command });
    },
  });
}

async function oneVerb(verb: Command, command: string, permissions: Permissions) {
  const outlooks = await Promise.all(
    verb.actions.map(async (action) => ({ ...action, outlook: await permissions.outlook([action]) })),
  );
  return helpVerb({
    verb: { ...verb, hasForm: verb.form !== undefined, aliases: verb.aliases ?? [] },
    command,
    outlooks,
  });
}
