import { z } from "zod";
import { UserError } from "../../../errors.ts";
import { prefillLike } from "./create-like.ts";
import { createFields } from "./fields.ts";
import { JobArgs, proposeJob } from "./job.ts";
import { proposeService, ServiceArgs } from "./service.ts";
import type { Flags, Typed } from "../../grammar/flags.ts";
import { writeVerb } from "../../grammar/verb.ts";

const flags = {
  image: { value: "I", summary: "image reference (needed)" },
  memory: { value: "MIB", summary: "memory limit in MiB, or with a unit: 512, 512Mi, 1Gi" },
  env: { value: "K=V", many: true, summary: "environment variable; may be repeated" },
  port: { value: "PORT", many: true, summary: "TCP port that the container opens; may be repeated" },
  mount: { value: "VOLUME:/PATH", many: true, summary: "where a volume is mounted; may be repeated" },
  volume: { value: "NAME=DISK", many: true, summary: "service: NAME=DISK or NAME=DISK:ro; job: NAME; may be repeated" },
  "sync-timezone": { summary: "give the containers the local time zone of the host" },
  instances: { value: "N", summary: "services: how many instances, 1 without it" },
  publish: { value: "PORT", many: true, summary: "services: port to make reachable from outside; may be repeated" },
  domain: { value: "D", many: true, summary: "services: custom domain name; may be repeated" },
  "pull-always": { summary: "jobs: pull the image each time" },
} as const satisfies Flags;

const only = { service: ["instances", "publish", "domain"], job: ["pull-always"] } as const;

export const create = writeVerb({
  name: "create",
  summary: "Create a service or a job",
  usage: "create service|job NAME --image I [flags] [-- COMMAND…]",
  example: "create job nightly --image gantry/batch -- 5 --exit 0",
  words: { kind: "service|job", name: "NAME" },
  flags,
  actions: [
    { op: "createService", risk: "routine" },
    { op: "createJob", risk: "routine" },
  ],
  takesCommand: true,
  args: z.discriminatedUnion("kind", [ServiceArgs, JobArgs], { error: "Say what to create: service or job." }),
  read(typed, { name = "", ...byName }) {
    const kind = typed.positionals[0]?.toLowerCase();
    if (kind === "service" || kind === "job") refuseFlagsOfOther(kind, typed);
    return { ...byName, kind, name };
  },
  form: { title: "Create a workload", submit: "Create", fields: createFields, hasPreview: true, prefill: prefillLike },
  target: ({ kind, name }) => ({ kind, name }),
  propose: (args, context) => (args.kind === "service" ? proposeService(args, context) : proposeJob(args, context)),
});

function refuseFlagsOfOther(kind: "service" | "job", typed: Typed): void {
  const other = kind === "service" ? "job" : "service";
  const wrong = only[other].find((flag) => typed.has(flag));
  if (wrong !== undefined)
    throw new UserError(`--${wrong} is for a ${other}, not for a ${kind}.`, { next: "Leave it out." });
}
