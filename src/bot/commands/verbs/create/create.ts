import { z } from "zod";
import { UserError } from "../../../errors.ts";
import { prefillLike } from "./create-like.ts";
import { createFields, createFlags, flagsOfOthers } from "./settings.ts";
import { JobArgs, proposeJob, proposeService, ServiceArgs } from "./new-workload.ts";
import { writeVerb } from "../../grammar/verb.ts";

export const create = writeVerb({
  name: "create",
  isMostUsed: true,
  summary: "Create a service or job",
  valuesFor: (workload) => ({ kind: workload.startsWith("job/") ? "job" : "service", like: workload }),
  button: "Create like this",
  usage: "create service|job NAME --image I [flags] [-- COMMAND…]",
  example: "create job nightly --image gantry/batch -- 5 --exit 0",
  near: ["create-service", "create-job", "new", "add", "launch"],
  phrases: [["(create|make|deploy|launch|add|set up|spin up)[ me] (a |an |)[new ]KIND[ ANYTHING]", "create KIND"]],
  words: { kind: "service|job", name: "NAME" },
  flags: createFlags,
  sends: ["createService", "createJob"],
  takesCommand: true,
  args: z.discriminatedUnion("kind", [ServiceArgs, JobArgs], { error: "Say what to create: service or job." }),
  read(typed, { name = "", ...byName }) {
    const kind = typed.positionals[0]?.toLowerCase();
    if (kind === "service" || kind === "job") {
      const other = kind === "service" ? "job" : "service";
      const wrong = flagsOfOthers(kind).find((flag) => typed.has(flag));
      if (wrong !== undefined) throw new UserError(`--${wrong} is only for a ${other}.`, { next: "Leave it out." });
    }
    return { ...byName, kind, name };
  },
  form: {
    title: "Create a workload",
    submit: "Create",
    fields: createFields,
    hasPreview: true,
    prefillsAtOnce: true,
    async prefill(values, context) {
      const { notes, values: copied } = await prefillLike(values, context);
      const isJob = (copied["kind"] ?? values["kind"]) === "job";
      return { notes, values: isJob ? copied : { region: context.region, ...copied } };
    },
  },
  target: ({ kind, name }) => ({ kind, name }),
  propose: (args, context) => (args.kind === "service" ? proposeService(args, context) : proposeJob(args, context)),
});
