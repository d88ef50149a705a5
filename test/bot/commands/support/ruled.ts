import { commands } from "../../../../src/bot/commands/verbs.ts";
import type { Command } from "../../../../src/bot/commands/command.ts";

/** The verbs that a policy rule has to allow; help leaves them out for a person who may use none of them. */
export const ruled = commands.filter(({ actions }) => actions.length > 0);

/** The verbs about Gantry itself, which help shows to everybody. */
export const unruled = commands.filter(({ actions }) => actions.length === 0);

/** The line of a help that leaves these verbs out. */
export function leftOut(verbs: readonly Command[]): string {
  return `${verbs.length} commands aren't allowed for you here. To see why: /gantry can-i COMMAND`;
}
