import { z } from "zod";
import type { Job, Service } from "../../../api/answers.ts";
import { jobStatus, serviceStatus } from "../../../api/workload-status.ts";
import { jobFootprint } from "../../changes/footprint.ts";
import { jobSnapshot } from "../../changes/updatable-fields.ts";
import type { Line } from "../../views/kit/blocks.ts";
import { counted } from "../../views/kit/text.ts";
import { type FormFacts, type FormValues, noFacts, workloadField } from "../forms/form.ts";
import { aboutWorkload, refusalNote, refusalOf, serviceChange } from "../lookup/service-change.ts";
import { findWorkload, workloadOf } from "../lookup/find.ts";
import { Target } from "../grammar/argument-types.ts";
import { writeVerb } from "../grammar/verb.ts";
import type { VerbContext } from "../command.ts";

export const remove = writeVerb({
  name: "delete",
  summary: "Permanently delete a service or job",
  example: "delete job/nightly-report",
  button: "Delete",
  aliases: ["rm"],
  near: ["remove", "destroy", "del", "drop", "terminate", "erase", "kill"],
  phrases: [["delete NAMES", "delete NAMES"]],
  words: { name: "NAME" },
  usage: "delete NAME…",
  several: true,
  args: z.object({ name: Target }),
  sends: ["deleteService", "deleteJob"],
  form: {
    title: "Delete a workload",
    submit: "Delete",
    fields: () => [
      { ...workloadField, redraws: true },
      {
        id: "confirm",
        label: "Confirm the name",
        placeholder: "Type the name to confirm",
        input: { kind: "text", maxLength: 260 },
      },
    ],
    toArgs: ({ confirm: _confirm, ...raw }) => raw,
    // The typed name guards against a slip of the thumb. The kind may be typed too: `job/nightly`.
    check({ name, confirm = "" }) {
      const target = Target.safeParse(name?.trim()).data;
      const typed = confirm.trim();
      if (target === undefined || typed === target.name || typed === `${target.kind}/${target.name}`) return {};
      return { confirm: `Type ${target.name} to confirm.` };
    },
    prefill: describeLoss,
  },
  async propose({ name }, context) {
    const found = await findWorkload(name, context);
    if (found.kind === "service") {
      const diff = [`permanently deletes ${whatGoes(found.service).join("")}`];
      return serviceChange(found.service, context, { op: "deleteService", body: undefined, diff });
    }
    const { region, job } = found;
    const before = jobSnapshot(job);
    return {
      call: { op: "deleteJob", path: { region, job_name: job.metadata.name }, query: undefined, body: undefined },
      workload: { kind: "job", region, name: job.metadata.name, uid: before.uid },
      before,
      diff: [`permanently deletes job ${job.metadata.name} and its logs`],
      footprint: jobFootprint(job),
      refusal: refusalOf(job, context.sends),
    };
  },
});

/** "web (1 running instance, 2 domains)"; "web (2 instances, stopped)". */
function whatGoes(service: Service): readonly [name: string, rest: string] {
  const { name, target_instance_size: size, binding_domain_name: domains } = service;
  const { level, words } = serviceStatus(service);
  const running = level === "healthy" ? "running instance" : "instance";
  const suffix = level === "healthy" ? "" : `, ${words}`;
  const instances = size === undefined ? `${words}, instances not reported` : `${counted(size, running)}${suffix}`;
  return [name, ` (${[instances, ...domainParts(domains)].join(", ")})`];
}

function domainParts(domains: readonly string[] | undefined): string[] {
  if (domains === undefined) return ["domains not reported"];
  return domains.length > 0 ? [counted(domains.length, "domain")] : [];
}

async function describeLoss(values: FormValues, context: VerbContext): Promise<FormFacts> {
  const target = Target.safeParse(values["name"]).data;
  if (target === undefined) return noFacts;
  const found = await findWorkload(target, context);
  const notes = found.kind === "service" ? serviceLoss(found.service) : jobLoss(found.job);
  return { notes: [...notes, ...refusalNote(workloadOf(found), context.sends)], values: {} };
}

function serviceLoss(service: Service): Line[] {
  const [name, rest] = whatGoes(service);
  return [aboutWorkload(name, `${rest}.`, "⚠️ Permanently deletes ")];
}

function jobLoss(job: Job): Line[] {
  const { metadata, instance_names: instances } = job;
  const logs = instances === undefined || instances.length === 1 ? "its logs" : "their logs";
  const what = instances === undefined ? "its instances" : counted(instances.length, "instance");
  const lost = ` (${jobStatus(job).words}), with ${what} and ${logs}.`;
  return [aboutWorkload(metadata.name, lost, "⚠️ Permanently deletes job ")];
}
