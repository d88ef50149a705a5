import { UserError } from "../../errors.ts";
import { nearNames } from "../../policy/near-names.ts";
import type { Command } from "../command.ts";

/** The verb of this name, in any case. Throws a `UserError` with the nearest verb and its usage. */
export function findCommand(commands: readonly Command[], verb: string): Command {
  const found = commands.find(({ name }) => name === verb.toLowerCase());
  if (found !== undefined) return found;
  const [near] = nearNames(
    verb,
    commands.map(({ name }) => name),
  );
  const meant = commands.find(({ name }) => name === near);
  throw new UserError(`There is no verb “${verb}”.`, {
    next: near === undefined ? "Type help to see the verbs." : `Did you mean ${near}? Type help to see all verbs.`,
    usage: meant?.usage,
    example: meant?.example,
  });
}
