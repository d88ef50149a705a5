import { z } from "zod";
import type { StoredChange } from "../../../changes/stored-change.ts";
import { UserError } from "../../../errors.ts";
import type { CardActions } from "./card-buttons.ts";
import { jobCard } from "./job-card.ts";
import { serviceCard } from "./service-card.ts";
import { allowedVerbs, cardVerbs } from "../../lookup/allowed-verbs.ts";
import { findWorkload, type Found } from "../../lookup/find.ts";
import type { Command, ReadCommand } from "../../command.ts";
import { Target } from "../../grammar/target.ts";
import { readVerb, type VerbContext } from "../../grammar/verb.ts";
import { workloadField } from "../../forms/fields.ts";

/** Takes a function because the list of verbs holds this verb. */
export function showCommand(commands: () => readonly Command[]): ReadCommand {
  return readVerb({
    name: "show",
    summary: "Show one service or job",
    example: "show web",
    words: { name: "NAME" },
    args: z.object({ name: Target }),
    reads: ["getService", "getJob"],
    form: { title: "Show a workload", submit: "Show", fields: () => [workloadField] },
    async answer({ name }, context) {
      const found = await findWorkload(name, context);
      const actions = await actionsFor(found, commands(), context);
      const { now, settings } = context;
      const { command } = settings;
      const waiting = { changes: await waitingFor(found, context), command };
      const common = { region: found.region, now, command, actions, waiting };
      return found.kind === "service"
        ? serviceCard({ ...common, service: found.service, defaultRegion: context.defaultRegion })
        : jobCard({ ...common, job: found.job });
    },
  });
}

/** Changes of this workload that wait for approval. `show` also works when the database doesn't answer. */
async function waitingFor(
  found: Found,
  { records, account }: VerbContext,
): Promise<readonly StoredChange[] | undefined> {
  try {
    const name = nameOf(found);
    return (await records.pending()).filter(
      ({ workload, account: { username } }) =>
        username === account.username &&
        workload.kind === found.kind &&
        workload.region === found.region &&
        workload.name === name,
    );
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function nameOf(found: Found): string {
  return found.kind === "service" ? found.service.name : found.job.metadata.name;
}

/** A private card offers what the person may do. A shared card offers everything: policy decides at the click. */
async function actionsFor(found: Found, commands: readonly Command[], context: VerbContext): Promise<CardActions> {
  const { share: isShared } = context.ask;
  if (isShared) return { isShared, mayDo: cardVerbs };
  const workload = { kind: found.kind, name: nameOf(found), region: found.region };
  return { isShared, mayDo: await allowedVerbs(commands, workload, context) };
}
