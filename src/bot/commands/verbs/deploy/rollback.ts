import { z } from "zod";
import type { Service } from "../../../../api/answers.ts";
import type { Revision } from "../../../../api/workload-shapes.ts";
import { type Change } from "../../../changes/change.ts";
import { NOT_REPORTED } from "../../../changes/updatable-fields.ts";
import { UserError } from "../../../errors.ts";
import { serviceField } from "../../forms/fields.ts";
import type { FormField } from "../../forms/form.ts";
import { aboutWorkload, servicePrefill } from "../../forms/service-form.ts";
import { joinWords } from "../../grammar/words.ts";
import { firstLink } from "../../grammar/left-over.ts";
import { isLink } from "../../grammar/manners.ts";
import { kindNamed, Target, wholeNumber } from "../../grammar/argument-types.ts";
import type { SeveralWords } from "../../grammar/several.ts";
import { writeVerb } from "../../grammar/verb.ts";
import { deployable } from "../../lookup/containers.ts";
import { findService } from "../../lookup/find.ts";
import type { VerbContext } from "../../command.ts";
import { onlyUpdate, serviceChange } from "../../lookup/service-change.ts";
import { ONLY_IMAGE, refuseUnkept } from "./deploy.ts";
import { earlierOf, isNow } from "./on-failure.ts";
import { requestsAbout, withOutcomes } from "./revision-requests.ts";

const Number = wholeNumber("REVISION", { from: 1, to: 999_999_999 });

const revisionField: FormField = {
  id: "revision",
  label: "Revision",
  hint: "Default: the one before. “Versions” lists them.",
  isOptional: true,
  input: { kind: "number", from: 1, to: 999_999_999 },
};

/** What follows the name, without the words around it: `3`, `to 3`, `to revision 3`, `version 3`. */
function goalIn(words: readonly string[]): string | undefined {
  return /^(?:to )?(?:(?:revision|version) )?(\S+)$/iu.exec(words.join(" "))?.[1];
}

/** `rollback web 3` is about a revision; `rollback web worker` about two workloads. */
const wordsForSeveral: SeveralWords = (words) => {
  const [name = "", ...others] = words.length > 2 && kindNamed(words[0] ?? "") !== undefined ? words.slice(1) : words;
  const goal = goalIn(others) ?? "";
  if (isNumber(goal)) return undefined;
  if (ONLY_IMAGE.test(goal) && !isLink(goal)) throw imageInstead(name, goal);
  const last = others.at(-1) ?? "";
  if (!isNumber(last) || firstLink(words) >= 0) return { names: words, args: {} };
  throw new UserError("Each workload counts its own revisions.", {
    next: "Roll them back one by one, or leave the number out.",
  });
};

function isNumber(word: string): boolean {
  return /^\d{1,9}$/u.test(word);
}

/** Somebody means the version by its image. */
function imageInstead(name: string, image: string): UserError {
  const words = joinWords(["deploy", name, image]);
  return new UserError("`rollback` takes the number of a revision.", {
    next: `\`versions\` lists them. To go to an image, deploy it.`,
    ...(words !== undefined && {
      suggestions: [{ ask: { verb: "deploy", share: false, args: { name, image } }, words }],
    }),
  });
}

export const rollback = writeVerb({
  name: "rollback",
  summary: "Go back to an earlier version of a service",
  example: "rollback web",
  question: {
    label: "Roll back",
    amount: ({ revision }) => (typeof revision === "string" ? ` to revision ${revision}` : ""),
  },
  button: "Roll back",
  aliases: ["roll-back", "roll back", "rollout undo"],
  near: ["back", "previous", "downgrade"],
  phrases: [
    [
      "(roll back|rollback|downgrade) NAMES[ to (revision |the )?(previous|last|earlier|old) version]",
      "rollback NAMES",
    ],
    ["(roll|take|move) NAMES back[ to (the |its |their )?(previous|last|earlier|old) versions?]", "rollback NAMES"],
    ["(roll back|rollback|revert) the (deploy|deployment|release|rollout) of NAME", "rollback NAME"],
    [
      "(roll back|rollback|revert) NAME to [(revision|version) ]REVISION|(roll|take) NAME back to [(revision|version) ]REVISION|revert NAME REVISION",
      "rollback NAME REVISION",
    ],
    [
      "(roll back|rollback|revert) NAME to [version ]IMAGE|(roll|take) NAME back to [version ]IMAGE|revert NAME IMAGE",
      "deploy NAME IMAGE",
    ],
  ],
  words: { name: "NAME", revision: "REVISION…" },
  read: ({ positionals: [, ...words] }, byName) => ({
    ...byName,
    revision: words.length === 0 ? undefined : (goalIn(words) ?? words.join(" ")),
  }),
  usage: "rollback NAME… [REVISION]",
  several: wordsForSeveral,
  updates: "revision",
  args: z.object({ name: Target, revision: Number.optional() }),
  form: {
    title: "Roll back",
    submit: "Roll back",
    fields: () => [serviceField, revisionField],
    prefill: servicePrefill(async (service, context) => {
      const goal = await goalFor(service, context);
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
      revision === undefined
        ? await goalFor(service, context)
        : service.revisions?.find((each) => each.revision === revision);
    if (goal === undefined) throw notKept(service, revision);
    const change = serviceChange(service, context, {
      op: "updateService",
      body: { revision: goal.revision },
      diff: isNow(goal, service)
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

/** The version to go back to when none is named, by the outcomes that the workload API and requests report. */
async function goalFor(service: Service, context: VerbContext): Promise<Revision | undefined> {
  const { revisions = [] } = service;
  return revisions.length < 2
    ? earlierOf(service)
    : earlierOf(withOutcomes(service, await requestsAbout(service, context)));
}

/** `image shop/web:1.5 → shop/web:1.4`, for each container that has another one. */
function imageSteps(service: Service, { images = [] }: Revision): string[] {
  const { containers = [] } = deployable(service);
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

function notKept(service: Service, wanted: number | undefined): UserError {
  const { name, revisions = [] } = service;
  const others = revisions.filter((each) => !isNow(each, service));
  if (wanted === undefined && others.length > 0) {
    return new UserError(`It isn't known which earlier version of ${name} went well.`, {
      next: `Nothing was changed. Name one: ${others.map(describedRevision).join(", ")}.`,
    });
  }
  if (wanted !== undefined && revisions.length > 0) {
    const kept = revisions.map(({ revision }) => revision).join(", ");
    return new UserError(`Revision ${wanted} of ${name} isn't kept.`, {
      next: `Nothing was changed. Its revisions: ${kept}. Go back to one of them, or deploy the image that you want.`,
    });
  }
  const what =
    wanted === undefined ? `${name} has no earlier version that is kept.` : `Revision ${wanted} of ${name} isn't kept.`;
  const none = revisions.length === 0 ? " The workload API names none." : "";
  return new UserError(what, { next: `Nothing was changed.${none} Deploy the image that you want.` });
}

/** A deploy, a rollback and other variables are taken back by the revision from before. */
function revisionBefore(change: Change): { readonly revision: string } | undefined {
  const isRevised =
    onlyUpdate(change, "revision") !== undefined ||
    onlyUpdate(change, "containers")?.some(({ image, env }) => (image ?? env) !== undefined) === true;
  const before = change.before?.revision;
  return isRevised && before !== undefined ? { revision: String(before) } : undefined;
}
