import { z } from "zod";
import type { Job } from "../../../api/answers.ts";
import { jobStatus } from "../../../api/workload-status.ts";
import type { Change } from "../../changes/change.ts";
import { jobFootprint } from "../../changes/footprint.ts";
import { UserError } from "../../errors.ts";
import { dotOf } from "../../views/kit/health.ts";
import { workloadField, type FormFacts, type FormValues, noFacts } from "../forms/form.ts";
import { aboutWorkload, refusalNote, refusalOf } from "../lookup/service-change.ts";
import { Target } from "../grammar/argument-types.ts";
import { writeVerb } from "../grammar/verb.ts";
import type { ProposedChange, VerbContext } from "../command.ts";
import { readJob, unknownName } from "../lookup/find.ts";
import { checkMaySee } from "../lookup/may-see.ts";

/** Makes a job of a CronJob's template now, outside its schedule. */
export const run = writeVerb({
  name: "run",
  summary: "Run a CronJob now",
  example: "run nightly",
  button: "Run now",
  aliases: ["trigger"],
  phrases: [["run NAME", "run NAME"]],
  near: ["rerun", "execute", "fire", "run-now", "invoke"],
  words: { name: "NAME" },
  args: z.object({ name: Target }),
  sends: ["createJob"],
  target: ({ name }) => ({ kind: "job", name: name.name }),
  form: {
    title: "Run a CronJob now",
    submit: "Run now",
    fields: () => [{ ...workloadField, label: "CronJob", placeholder: "Choose a CronJob", redraws: true }],
    prefill,
  },
  async propose({ name: target }, context) {
    const wanted = change(await findCronJob(target, context), context);
    await checkBothNames(target.name, wanted, context);
    return wanted;
  },
});

/**
 * The new job's name is decided here, with the request that is stored and approved: sent twice, the second one is refused.
 */
function change(cronJob: Job, { settings, now, sends }: VerbContext): ProposedChange {
  const { metadata, schedule } = cronJob;
  const { name } = metadata;
  const isRunning = schedule?.last_result === "running";
  const region = settings.jobsRegion;
  const job = newName(name, now);
  return {
    call: { op: "createJob", path: { region, job_name: job }, query: undefined, body: { from_cron_job: name } },
    workload: { kind: "job", region, name: job, uid: undefined },
    before: undefined,
    diff: [`runs CronJob ${name} now`, ...(isRunning ? ["its newest run hasn't ended yet"] : [])],
    footprint: jobFootprint(cronJob),
    refusal: refusalOf(cronJob, sends),
  };
}

/** Policy judges the new job's name, so a rule about the CronJob has to cover that too. */
async function checkBothNames(
  cronJob: string,
  { workload, footprint }: Change,
  { permissions, ask }: VerbContext,
): Promise<void> {
  const { kind, region } = workload;
  const [own, made] = await Promise.all(
    [cronJob, workload.name].map((name) =>
      permissions.verdict(
        { op: "createJob", risk: "routine", workload: { kind, region, name }, footprint },
        { breakGlass: ask.breakGlass === true },
      ),
    ),
  );
  if (own === undefined || own.kind === "allow" || own.rule === made?.rule) return;
  throw new UserError(`The policy rule for ${cronJob} doesn't cover its jobs, such as ${workload.name}.`, {
    next: `Nothing was changed. Ask your Gantry admin to write the name as ${cronJob}* in that rule.`,
  });
}

/** https://kubernetes.io/docs/concepts/workloads/controllers/job/: pods get the name too, so it is short. */
const LONGEST = 50;

/** `nightly-mihq8x3k`. Pure. */
function newName(cronJob: string, now: Date): string {
  const suffix = `-${now.getTime().toString(36)}`;
  const plain = cronJob.replaceAll(".", "-").replace(/^(?=[^a-z])/u, "job-");
  return `${plain.slice(0, LONGEST - suffix.length).replace(/-+$/u, "")}${suffix}`;
}

async function findCronJob({ kind, name }: Target, context: VerbContext): Promise<Job> {
  if (kind === "service") throw noCronJob(`${name} is a service`);
  const job = await readJob(name, context);
  if (job === undefined) throw await unknownName({ kind: "job", name }, context);
  if (job.schedule === undefined) throw noCronJob(`the workload API reports no schedule of ${name}`);
  return job;
}

function noCronJob(what: string): UserError {
  return new UserError(`Only a CronJob can be run now, and ${what}.`, {
    next: "Nothing was changed. `list jobs` shows all jobs.",
  });
}

async function prefill(values: FormValues, context: VerbContext): Promise<FormFacts> {
  const target = Target.safeParse(values["name"]).data;
  if (target === undefined) return noFacts;
  await checkMaySee({ kind: "job", region: context.settings.jobsRegion, name: target.name }, context);
  const job = await findCronJob(target, context);
  const status = jobStatus(job);
  const cron = job.schedule?.cron ?? "";
  return {
    notes: [
      aboutWorkload(job.metadata.name, ` · ${status.words} · schedule ${cron}`, `${dotOf(status)} `),
      "Makes a job of it now. Its schedule stays as it is.",
      ...refusalNote(job, context.sends),
    ],
    values: {},
  };
}
