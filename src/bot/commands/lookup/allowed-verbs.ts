import type { Command, Context, WriteCommand } from "../command.ts";
import { bestVerdict, kindOf, type Permitted, readRefusal } from "./may-see.ts";
import { UserError } from "../../errors.ts";

/** The verbs that a workload's card can offer. */
export function offeredVerbs(commands: readonly Command[]): readonly Command[] {
  return commands.filter(({ button }) => button !== undefined);
}

type Workload = { readonly kind: "service" | "job"; readonly name: string; readonly region: string };

/** Those of them that policy would not refuse this person here for this workload. Makes no API call. */
export async function allowedVerbs(
  commands: readonly Command[],
  workload: Workload,
  context: Permitted,
): Promise<readonly Command[]> {
  const offered = offeredVerbs(commands);
  const allowed = await Promise.all(offered.map((command) => isAllowed(command, workload, context)));
  return offered.filter((_, at) => allowed[at]);
}

async function isAllowed(command: Command, workload: Workload, context: Permitted): Promise<boolean> {
  const { effect, actions } = command;
  const creates = actions.filter(({ op }) => op === "createService" || op === "createJob");
  if (creates.length > 0) {
    // The new workload gets another name, so rules about this name don't count.
    const ofKind = creates.filter((action) => kindOf(action) === workload.kind);
    return (await context.permissions.outlook(ofKind)) !== "refuse";
  }
  const verdict = await bestVerdict(command, workload, context);
  if (verdict === undefined) return false;
  return effect === "read" ? readRefusal(verdict) === undefined : verdict.kind !== "refuse";
}

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
