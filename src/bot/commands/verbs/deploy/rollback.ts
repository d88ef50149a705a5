import { z } from "zod";
import type { Service } from "../../../../api/answers.ts";
import type { Revision } from "../../../../api/workload-shapes.ts";
import { type Change } from "../../../changes/change.ts";
import { NOT_REPORTED } from "../../../changes/updatable-fields.ts";
import { UserError } from "../../../errors.ts";
import { serviceField } from "../../forms/fields.ts";
import type { FormField } from "../../forms/form.ts";
import { aboutWorkload, servicePrefill } from "../../forms/service-form.ts";
import { Target, wholeNumber } from "../../grammar/argument-types.ts";
import { writeVerb } from "../../grammar/verb.ts";
import { findService } from "../../lookup/find.ts";
import { onlyUpdate, serviceChange } from "../../lookup/service-change.ts";
import { refuseUnkept } from "./deploy.ts";

const Number = wholeNumber("REVISION", { from: 1, to: 999_999_999 });

const revisionField: FormField = {
  id: "revision",
  label: "Revision",
  hint: "Default: the one before. “Versions” lists them.",
  isOptional: true,
  input: { kind: "number", from: 1, to: 999_999_999 },
};

export const rollback = writeVerb({
  name: "rollback",
  summary: "Go back to an earlier version of a service",
  example: "rollback web",
  button: "Roll back",
  aliases: ["roll-back"],
  near: ["back", "previous", "downgrade"],
  phrases: [
    ["(roll back|rollback|downgrade) NAME[ to (revision |the )?(previous|last|earlier|old) version]", "rollback NAME"],
    ["(roll|take|move) NAME back[ to (the |its )?(previous|last|earlier|old) version]", "rollback NAME"],
    ["(roll back|rollback|revert) the (deploy|deployment|release|rollout) of NAME", "rollback NAME"],
    ["(roll back|rollback) NAME to revision COUNT|(roll|take) NAME back to revision COUNT", "rollback NAME COUNT"],
  ],
  words: { name: "NAME", revision: "[REVISION]" },
  updates: "revision",
  args: z.object({ name: Target, revision: Number.optional() }),
  form: {
    title: "Roll back",
    submit: "Roll back",
    fields: () => [serviceField, revisionField],
    prefill: servicePrefill((service) => {
      const goal = earlierOf(service);
      const to = goal === undefined ? ": name the revision to go back to" : ` goes back to ${describedRevision(goal)}`;
      return {
        notes: [aboutWorkload(service.name, to)],
        values: goal === undefined ? {} : { revision: String(goal.revision) },
      };
    }),
  },
  async propose({ name, revision }, context) {
    await refuseUnkept("image", context);
    const service = await findService(name, context);
    const goal =
      revision === undefined ? earlierOf(service) : service.revisions?.find((each) => each.revision === revision);
    if (goal === undefined) throw notKept(service, revision);
    const change = serviceChange(service, context, {
      op: "updateService",
      body: { revision: goal.revision },
      diff:
        goal.revision === service.revision
          ? []
          : [...imageSteps(service, goal), `back to revision ${goal.revision}, with its environment variables`],
    });
    // A revision can have another memory limit, too, and doesn't say so.
    const containers = goal.images?.map((image) => ({ image, memoryMiB: undefined }));
    return { ...change, footprint: { containers, instances: service.target_instance_size } };
  },
  /** A repeated request must not go back further. */
  settledArgs(args, change) {
    const revision = onlyUpdate(change, "revision");
    return revision === undefined ? args : { ...args, revision: String(revision) };
  },
  undo: revisionBefore,
});

/**
 * What a rollout that isn't over replaces, else the newest earlier revision that went well, with another image if one
 * has. Where the workload API doesn't say how revisions went, nobody can know which one is meant. Pure.
 */
export function earlierOf({ revision, revisions = [], rollout, containers = [] }: Service): Revision | undefined {
  const isOpen = rollout?.state === "stuck" || rollout?.state === "progressing";
  const replaced = isOpen ? revisions.find((each) => each.revision === rollout.from) : undefined;
  if (replaced) return replaced;
  const earlier = revisions.filter((each) => each.revision !== revision && each.outcome === "done");
  const now = containers.map(({ image }) => image);
  return earlier.find(({ images }) => images !== undefined && String(images) !== String(now)) ?? earlier[0];
}

/** `image shop/web:1.5 → shop/web:1.4`, for each container that has another one. */
function imageSteps({ containers = [] }: Service, { images = [] }: Revision): string[] {
  return containers.flatMap(({ name, image = NOT_REPORTED }, at) => {
    const then = images[at];
    if (then === undefined || then === image) return [];
    return [`image${containers.length > 1 ? ` of ${name ?? `container ${at + 1}`}` : ""} ${image} → ${then}`];
  });
}

/** `revision 3 (shop/web:1.4)` */
export function describedRevision({ revision, images = [] }: Revision): string {
  return `revision ${revision}${images.length === 0 ? "" : ` (${images.join(", ")})`}`;
}

function notKept({ name, revision: current, revisions = [] }: Service, wanted: number | undefined): UserError {
  const others = revisions.filter(({ revision }) => revision !== current);
  if (wanted === undefined && others.length > 0) {
    return new UserError(`It isn't known which earlier version of ${name} went well.`, {
      next: `Nothing was changed. Name one: ${others.map(describedRevision).join(", ")}.`,
    });
  }
  const kept = revisions.map(({ revision }) => revision);
  const what =
    wanted === undefined ? `${name} has no earlier version that is kept.` : `Revision ${wanted} of ${name} isn't kept.`;
  const has =
    kept.length === 0
      ? "The workload API names none."
      : `There ${kept.length === 1 ? "is" : "are"} ${kept.join(", ")}.`;
  return new UserError(what, { next: `Nothing was changed. ${has} Deploy the image that you want.` });
}

/** A deploy, a rollback and other variables are taken back by the revision from before. */
function revisionBefore(change: Change): { readonly revision: string } | undefined {
  const isRevised =
    onlyUpdate(change, "revision") !== undefined ||
    onlyUpdate(change, "containers")?.some(({ image, env }) => (image ?? env) !== undefined) === true;
  const before = change.before?.revision;
  return isRevised && before !== undefined ? { revision: String(before) } : undefined;
}
