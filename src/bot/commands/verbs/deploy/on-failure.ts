import { z } from "zod";
import type { Service } from "../../../../api/answers.ts";
import type { Revision } from "../../../../api/workload-shapes.ts";
import type { Change } from "../../../changes/change.ts";
import { IF_STUCK } from "../../../views/kit/verb-words.ts";
import type { FormField } from "../../forms/form.ts";

/** What follows when new instances don't get ready. */
export const OnFailure = z
  .enum(["roll-back", "stop"], { error: "--on-failure takes roll-back or stop." })
  .default("roll-back");

export const onFailureFlag = {
  value: "W",
  summary: "if it doesn't get ready: `roll-back` (default) or `stop`",
} as const;

export const onFailureField: FormField = {
  id: "on-failure",
  label: "If it doesn't get ready",
  hint: "Default: roll back.",
  isOptional: true,
  isMore: true,
  input: {
    kind: "choice",
    style: "menu",
    options: [
      { value: "roll-back", text: "Roll back" },
      { value: "stop", text: "Stay as it is" },
    ],
  },
};

/** What the card says before anybody approves. */
export function failureLine(service: Service, onFailure: z.output<typeof OnFailure>): string {
  const revision = backTo(service)?.revision ?? service.revision;
  if (onFailure === "stop" || revision === undefined) return `stays as it is ${IF_STUCK}`;
  return `back to revision ${revision} automatically ${IF_STUCK}`;
}

/** Undefined: to the revision that runs. One that doesn't get ready itself is nothing to go back to, but what it replaces is. */
export function backTo(service: Service): Change["backTo"] {
  const { revision, rollout } = service;
  if (rollout?.state !== "stuck") return undefined;
  const serving = earlierOf(service);
  if (serving === undefined || serving.revision === revision) return undefined;
  return { revision: serving.revision, images: serving.images };
}

/** Whether the service runs this revision, or a copy of it: a rollback makes a new revision out of an old one. */
export function isNow({ revision, is_current: isSame }: Revision, service: Service): boolean {
  return revision === service.revision || isSame === true;
}

/**
 * What a rollout that isn't over replaces, else the newest earlier revision that went well, with another image if one
 * has. Where the workload API doesn't say how revisions went, nobody can know which one is meant. Pure.
 */
export function earlierOf(service: Service): Revision | undefined {
  const { revisions = [], rollout, containers = [], init_containers: init = [] } = service;
  const isOpen = rollout?.state === "stuck" || rollout?.state === "progressing";
  const replaced = isOpen ? revisions.find((each) => each.revision === rollout.from) : undefined;
  // It may be one that was never ready, which a second deploy replaced.
  if (replaced !== undefined && replaced.outcome !== "aborted") return replaced;
  const earlier = revisions.filter((each) => !isNow(each, service) && each.outcome === "done");
  const now = [...containers, ...init].map(({ image }) => image);
  return earlier.find(({ images }) => images !== undefined && String(images) !== String(now)) ?? earlier[0];
}
