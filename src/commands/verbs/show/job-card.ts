import type { Job, JobCondition } from "../../../api/answers.ts";
import { context, fields, header, section, type Field } from "../../../views/kit/blocks.ts";
import { buttonRow, jobButtons, type CardActions } from "./card-buttons.ts";
import { containerFields, created } from "./card-fields.ts";
import { code, firstOf, moment, words, type Inline } from "../../../views/kit/inline.ts";
import { jobProgress, jobStatus, markedStatus } from "../../../views/kit/status.ts";
import type { Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { between } from "../../../views/kit/time.ts";
import { type Waiting, waitingLines } from "./waiting-lines.ts";

export type JobCard = {
  readonly job: Job;
  readonly region: string;
  readonly now: Date;
  readonly command: string;
  /** A card without it has no buttons. */
  readonly actions?: CardActions | undefined;
  /** Its changes that wait for approval; undefined when not checked. */
  readonly waiting?: Waiting | undefined;
};

const LISTED = 4;

export function jobCard({ job, region, now, command, actions, waiting }: JobCard): Message {
  const name = truncate(visible(job.metadata.name), 255);
  const status = jobStatus(job);
  const pod = job.spec?.template?.spec;
  const all: readonly Field[] = [
    { label: "Status", value: [words(markedStatus(status), 80)] },
    { label: "Instances", value: [words(progress(job), 120)] },
    { label: "Why", value: reasons(job.status?.conditions ?? []) },
    ...times(job, now),
    ...containerFields(pod?.containers),
    { label: "Volumes", value: volumes(job) },
    { label: "Instance names", value: firstOf(job.instance_names ?? [], LISTED, (each) => code(each, 80)) },
    { label: "Region", value: [words(region, 60)] },
    { label: "UID", value: job.metadata.uid === undefined ? [] : [words(job.metadata.uid, 80)] },
  ];
  const blocks = [
    header(`Job ${name}`),
    ...fields(all),
    ...waitingLines(waiting),
    ...((pod?.containers ?? []).some(({ env }) => (env ?? []).length > 0)
      ? [context("Values of environment variables are never shown.")]
      : []),
    section(logHint(job, `${command} logs job/${name}`)),
  ];
  const buttons = actions === undefined ? [] : jobButtons(job.metadata.name, { ...actions, region });
  return post(`Job ${name}: ${status}, ${progress(job)}`, [...blocks, ...buttonRow(blocks, buttons)]);
}

function progress(job: Job): string {
  const { active = 0, failed = 0 } = job.status ?? {};
  return [
    jobProgress(job),
    ...(active > 0 ? [`${active} active`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(", ");
}

/** Reasons and messages of the conditions; the conditions themselves are the status. */
function reasons(conditions: readonly JobCondition[]): Inline[] {
  const said = conditions
    .filter(({ status }) => status === "True")
    .flatMap(({ reason, message }) => {
      const text = [reason, message].filter((part) => part !== undefined && part !== "").join(": ");
      return text === "" ? [] : [text];
    });
  return firstOf(said, 2, (text) => words(text, 200));
}

function times({ metadata, status }: Job, now: Date): Field[] {
  const { startTime, completionTime } = status ?? {};
  const took = between(startTime, completionTime);
  const ended: Inline[] = completionTime === undefined ? [] : [moment(completionTime)];
  return [
    { label: "Created", value: created(metadata.creationTimestamp, now) },
    { label: "Started", value: startTime === undefined ? [] : [moment(startTime)] },
    { label: "Ended", value: took === undefined ? ended : [...ended, words(` (took ${took})`)] },
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

function logHint(job: Job, logs: string): string {
  const [first] = job.instance_names ?? [];
  if ((job.instance_names ?? []).length < 2) return `Log: \`${logs}\``;
  return `Log of the newest instance: \`${logs}\`. Of another one: add \`--instance ${truncate(visible(first), 100)}\``;
}
