import type { Job } from "../../../../api/answers.ts";
import { jobStatus, type WorkloadStatus } from "../../../../api/workload-status.ts";
import { fields, type Line } from "../../../views/kit/blocks.ts";
import { jobButtons } from "./card-buttons.ts";
import { isInVerdict, wholeName } from "./verdict.ts";
import { card, definitionFields, headContext, imageText, logLines, ownerLines, type CardFacts } from "./card-parts.ts";
import { code, firstOf, moment, strong, words, type Inline } from "../../../views/kit/inline.ts";
import { jobMemory, memoryNowText, memoryText } from "../../../views/kit/container-text.ts";
import type { Message } from "../../../views/kit/post.ts";
import { counted, grouped } from "../../../views/kit/text.ts";
import { age, between, span } from "../../../views/kit/time.ts";

export type JobCard = CardFacts & { readonly job: Job };

const LISTED = 4;

/** How the job went, or how it goes. */
export function jobCard({ job, ...given }: JobCard): Message {
  const { region, now, usual, log, verdict } = given;
  const status = jobStatus(job);
  const head = { name: job.metadata.name, status, now, verdict, log };
  const containers = job.spec?.template?.spec?.containers ?? [];
  // Their logs are read one by one, so several are named.
  const { instance_names: names = [] } = job;
  return card(given, {
    head,
    about: headContext(
      ["job", wholeName(job.metadata.name), region, imageText(containers)],
      job.metadata.creationTimestamp,
      now,
    ),
    facts: factsOf(job, status),
    lines: [
      ...runLine(job, usual),
      ...(status.reason === undefined || isInVerdict(status.reason, head)
        ? []
        : [[words(`Reason: ${status.reason}`, 600)]]),
      ...scheduleLines(job, now),
      ...(verdict === undefined ? logLines(log) : []),
      ...ownerLines({ managed_by: job.managed_by }),
    ],
    definition: fields([
      ...definitionFields(containers, job),
      { label: "Volumes", value: volumes(job) },
      { label: "Instances", value: names.length < 2 ? [] : firstOf(names, LISTED, (each) => code(each, 80)) },
    ]),
    buttons: (placed) => jobButtons(job, placed),
  });
}

/** "Started 9:41 AM · usually takes 4 min, of 5 runs": whether it is late. */
function runLine({ status = {} }: Job, usual: JobCard["usual"]): Line[] {
  const { startTime, completionTime } = status;
  const started: Inline[] =
    startTime === undefined || completionTime !== undefined ? [] : [moment(startTime, "Started ")];
  const often: Inline[] =
    usual === undefined ? [] : [words(`Usually takes ${span(usual.ms)} (${counted(usual.runs, "run")} so far)`)];
  const line = [...started, ...(started.length > 0 && often.length > 0 ? [words(" · ")] : []), ...often];
  return line.length === 0 ? [] : [line];
}

/** "took 11 s · 2 failed attempts · 512 MiB". */
function factsOf(job: Job, { level, reason }: WorkloadStatus): string {
  const { startTime, completionTime, failed = 0, succeeded = 0 } = job.status ?? {};
  const took = between(startTime, completionTime);
  const completions = job.spec?.completions;
  const memory = jobMemory(job);
  const containers = job.spec?.template?.spec?.containers ?? [];
  const now = containers.length === 1 ? memoryNowText(containers[0]) : "";
  // The reason of a failed job counts its attempts.
  const isSaid = level === "failing" && reason !== undefined;
  return [
    took === undefined ? undefined : `took ${took}`,
    completions === undefined || completions === 1 || job.status === undefined
      ? undefined
      : `${grouped(succeeded)} of ${grouped(completions)} done`,
    failed === 0 || isSaid ? undefined : counted(failed, "failed attempt"),
    memory === "–" && now === "" ? undefined : `${memory}${now}`,
    job.instance_memory === undefined ? undefined : `at most ${memoryText(job.instance_memory)} for an instance`,
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}

/** "Schedule 0 2 * * * in Europe/Berlin · next run Nov 22, 2:00 AM", then how the newest run was. */
function scheduleLines({ schedule }: Job, now: Date): Line[] {
  if (schedule === undefined) return [];
  const {
    cron,
    time_zone: zone,
    suspended,
    next_run: next,
    last_run: last,
    last_job: run,
    last_result: result,
  } = schedule;
  const ago = age(last, now);
  const coming: Inline[] =
    suspended === true
      ? [words(" · suspended: no next run")]
      : next === undefined
        ? [words(" · next run not known")]
        : [moment(next, " · next run "), ...(zone === undefined ? [words(" if the cluster uses UTC")] : [])];
  return [
    [words("Schedule "), code(cron, 200), ...(zone === undefined ? [] : [words(` in ${zone}`, 60)]), ...coming],
    ago === undefined
      ? [words("No run is known yet")]
      : [
          words(`Last run ${ago} ago`),
          ...(run === undefined ? [] : [words(": "), strong(run, 255)]),
          ...(result === undefined ? [] : [words(` · ${result}`, 40)]),
        ],
  ];
}

function volumes(job: Job): Inline[] {
  const pod = job.spec?.template?.spec;
  const mounts = (pod?.containers ?? []).flatMap(({ volumeMounts }) => volumeMounts ?? []);
  return firstOf(pod?.volumes ?? [], LISTED, ({ name }) => {
    const mount = mounts.find((each) => each.name === name);
    const at = mount?.mountPath === undefined ? "" : ` at ${mount.mountPath}`;
    return words(`${name}${at}${mount?.readOnly === true ? ", read-only" : ""}`, 100);
  });
}
