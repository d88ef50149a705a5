import { z } from "zod";
import { UserError } from "../../../errors.ts";
import { prefillLike } from "./create-like.ts";
import { createFields } from "./fields.ts";
import { JobArgs, proposeJob, proposeService, ServiceArgs } from "./new-workload.ts";
import type { Flags } from "../../grammar/flags.ts";
import { writeVerb } from "../../grammar/verb.ts";

const flags = {
  image: { value: "I", summary: "container image (required)" },
  memory: { value: "MIB", summary: "memory limit: 512 (MiB), 512Mi or 1Gi" },
  env: { value: "K=V", many: true, summary: "environment variable (repeatable)" },
  port: { value: "PORT", many: true, summary: "TCP port that the container listens on (repeatable)" },
  mount: { value: "VOLUME:/PATH", many: true, summary: "mount path of a volume (repeatable)" },
  volume: {
    value: "NAME=DISK",
    many: true,
    summary: "volume: NAME=DISK or NAME=DISK:ro for services, NAME for jobs (repeatable)",
  },
  "sync-timezone": { summary: "use the host's time zone in the containers" },
  instances: { value: "N", summary: "services: number of instances (default: 1)" },
  publish: { value: "PORT", many: true, summary: "services: port reachable from outside (repeatable)" },
  domain: { value: "D", many: true, summary: "services: custom domain (repeatable)" },
  "pull-always": { summary: "jobs: always pull the image" },
  notify: { value: "me", summary: "jobs: tell you in a direct message how it ends" },
} as const satisfies Flags;

const only = { service: ["instances", "publish", "domain"], job: ["pull-always", "notify"] } as const;

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
  flags,
  sends: ["createService", "createJob"],
  takesCommand: true,
  args: z.discriminatedUnion("kind", [ServiceArgs, JobArgs], { error: "Say what to create: service or job." }),
  read(typed, { name = "", ...byName }) {
    const kind = typed.positionals[0]?.toLowerCase();
    if (kind === "service" || kind === "job") {
      const other = kind === "service" ? "job" : "service";
      const wrong = only[other].find((flag) => typed.has(flag));
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
