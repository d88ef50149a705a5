import { UserError } from "../../errors.ts";
import type { Command, Context, WriteCommand } from "../command.ts";

/**
 * Why the workload API can't do what this verb asks it for, whatever it is about: its document knows no way to change these. Asked
 * before a form is filled in, and before anybody is asked to approve it. Undefined when it can.
 */
export async function unableTo(
  command: Pick<WriteCommand, "effect" | "extension"> | Exclude<Command, WriteCommand>,
  { engine }: Pick<Context, "engine">,
): Promise<UserError | undefined> {
  const what = command.effect === "write" ? command.extension : undefined;
  if (what === undefined) return undefined;
  const info = await engine();
  if (info?.keepsRevisions === true) return undefined;
  // It may only have been slow to say.
  const [can, again] = info === undefined ? ["doesn't say that it can", "Try again, or create"] : ["can't", "Create"];
  return new UserError(`This workload API ${can} change the ${what} of a service.`, {
    next:
      `Nothing was changed. ${again} a service with the new ${what} under another name, and delete the old one when the ` +
      "new one is healthy.",
  });
}
