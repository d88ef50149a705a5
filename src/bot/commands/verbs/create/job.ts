import { z } from "zod";
import { jobMemory } from "../../../../api/memory.ts";
import { isVolumeName, requestLimits } from "../../../../api/request-limits.ts";
import type { NewJob } from "../../../../api/schema.ts";
import type { Change } from "../../../changes/change.ts";
import { UserError } from "../../../errors.ts";
import {
  checkMounts,
  containerArgs,
  newContainer,
  newName,
  volumeNameRule,
  whenMountsAreRead,
} from "./container-arguments.ts";
import { createDiff } from "./diff.ts";
import { OtherKind, orOther, readJob } from "../../lookup/find.ts";
import type { VerbContext } from "../../grammar/verb.ts";

/** `data`, or `data=host`: `host` is the only volume type of a job. */
const Volume = z.string().transform((typed, context) => {
  const [, name = "", type = "host"] = /^([^=:\s]+)(?:=([a-zA-Z]+))?$/u.exec(typed) ?? [];
  if (isVolumeName(name) && type === "host") return { name, type };
  context.addIssue(
    name === "" || type !== "host"
      ? `“${typed}” isn't a job volume. Write NAME, or NAME=host.`
      : `“${typed}” isn't a job volume. A volume name ${volumeNameRule}.`,
  );
  return z.NEVER;
});

/** Every field of the creation body of a job. */
export const JobArgs = z
  .object({
    kind: z.literal("job"),
    ...containerArgs,
    volume: z.array(Volume).max(requestLimits.volumes, `At most ${requestLimits.volumes} volumes.`).optional(),
    "pull-always": z.boolean().default(false),
    name: newName("job"),
  })
  .superRefine(checkMounts, whenMountsAreRead);
type JobArgs = z.output<typeof JobArgs>;

/** Checks first that the name is free, with one call. */
export async function proposeJob(args: JobArgs, context: VerbContext): Promise<Change> {
  const { name } = args;
  const region = context.settings.jobsRegion;
  const taken = await orOther(readJob(name, context));
  if (taken !== undefined && !(taken instanceof OtherKind)) {
    throw new UserError(`Job ${name} already exists.`, {
      next: `Choose another name, or delete it first with \`${context.settings.command} delete job/${name}\`.`,
    });
  }
  return {
    call: { op: "createJob", path: { region, job_name: name }, query: undefined, body: jobBody(args) },
    workload: { kind: "job", region, name, uid: undefined },
    before: undefined,
    diff: [`runs ${args.image} until it completes`, ...createDiff(args)],
  };
}

function jobBody(args: JobArgs): NewJob {
  const container = newContainer(args, jobMemory);
  return {
    containers: [{ ...container, ...(args["pull-always"] && { pull_always: true }) }],
    ...(args.volume && { volumes: args.volume }),
    ...(args["sync-timezone"] && { sync_timezone: true }),
  };
}
