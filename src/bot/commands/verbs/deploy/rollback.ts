import { z } from "zod";
import type { Service } from "../../../../api/answers.ts";
import type { Revision } from "../../../../api/workload-shapes.ts";
import type { Ask } from "../../../ask.ts";
import { type Change } from "../../../changes/change.ts";
import { NOT_REPORTED, serviceSnapshot } from "../../../changes/updatable-fields.ts";
import { UserError } from "../../../errors.ts";
import { serviceField, type FormField } from "../../forms/form.ts";
import {
  aboutWorkload,
  servicePrefill,
  deployable,
  ofContainer,
  onlyUpdate,
  serviceChange,
} from "../../lookup/service-change.ts";
import { withKind } from "../../grammar/arguments.ts";
import { joinWords } from "../../grammar/words.ts";
import { Target, wholeNumber } from "../../grammar/argument-types.ts";
import type { SeveralWords } from "../../grammar/several.ts";
import { writeVerb } from "../../grammar/verb.ts";
import { findService } from "../../lookup/find.ts";
import { ONLY_IMAGE } from "./deploy.ts";
import {
  backFrom,
  earlierVersion,
  isAvoided,
  isNow,
  type JudgedRevision,
  justLeft,
  lastGood,
  standingWords,
} from "../../../changes/revisions.ts";
import { failureLine, judgedBy, takenBack } from "./versions.ts";

const Number = wholeNumber("VERSION", { from: 1, to: 999_999_999 });

const revisionField: FormField = {
  id: "revision",
  label: "Version",
  hint: "Default: the one before. “Versions” lists them.",
  input: { kind: "number", from: 1, to: 999_999_999 },
};

/** What follows the name, without the words around it: `3`, `to 3`, `to revision 3`, `version 3`. */
function goalIn(words: readonly string[]): string | undefined {
  return /^(?:to )?(?:(?:revision|version) )?(\S+)$/iu.exec(words.join(" "))?.[1];
}

/** `rollback web 3` is about a revision; `rollback web worker` about two workloads. */
const wordsForSeveral: SeveralWords = (words, flags) => {
  const [name = "", ...others] = withKind(words);
  const goal = goalIn(others) ?? "";
  if (flags.has("revision") && others.length === 0) return undefined;
  if (isNumber(goal)) return undefined;
  if (ONLY_IMAGE.test(goal)) throw imageInstead(name, goal);
  const last = others.at(-1) ?? "";
  if (!isNumber(last) && !flags.has("revision")) return { names: words, args: {} };
  throw new UserError("Each workload counts its own versions.", {
    next: "Roll them back one by one, or leave the number out.",
  });
};

function isNumber(word: string): boolean {
  return /^\d{1,9}$/u.test(word);
}

/** Somebody means the version by its image. */
function imageInstead(name: string, image: string): UserError {
  const words = joinWords(["deploy", name, image]);
  return new UserError("`rollback` takes the number of a version.", {
    next: `\`versions\` lists them. To go to an image, deploy it.`,
    ...(words !== undefined && {
      suggestions: [{ ask: { verb: "deploy", share: false, args: { name, image } }, words }],
    }),
  });
}

export const rollback = writeVerb({
  name: "rollback",
  extension: "image",
  summary: "Go back to an earlier version of a service",
  example: "rollback web",
  question: {
    label: "Roll back",
    amount: ({ revision }) => (typeof revision === "string" ? ` to version ${revision}` : ""),
  },
  button: "Roll back",
  aliases: ["roll-back", "roll back", "rollout undo"],
  near: ["back", "previous", "downgrade"],
  phrases: [
    [
      "rollback NAMES [to] [previous] [version]|(roll|put|take|bring|go) back NAMES previous [version]|undo previous version NAMES",
      "rollback NAMES",
    ],
    ["rollback [to] [revision|version] COUNT", "rollback"],
    [
      "(roll|take|move) back NAMES|(rollback|undo) (deploy|versions) [previous] NAME|deploy previous version NAME",
      "rollback NAMES",
    ],
    [
      "(rollback|undo) NAME [to] [revision|version] COUNT|(roll|take|put|go|bring) back NAME [to] [revision|version] COUNT",
      "rollback NAME COUNT",
    ],
  ],
  words: { name: "NAME", revision: "VERSION…" },
  flags: { revision: { value: "N", summary: "the version to go back to", also: ["to-revision"] } },
  read({ positionals: [, ...words], one }, byName) {
    const flag = one("revision");
    if (flag !== undefined && words.length > 0) {
      throw new UserError("The version appears twice.", { next: "Write it once." });
    }
    return { ...byName, revision: flag ?? goalIn(words) };
  },
  usage: "rollback NAME… [VERSION]",
  several: wordsForSeveral,
  updates: "revision",
  args: z.object({
    name: Target,
    revision: Number.optional(),
    /** Gantry chose the revision, not the person: one that is avoided by now is refused. */
    isLed: z.boolean().optional(),
    /** The request that this one takes back. */
    undoes: z.string().optional(),
  }),
  form: {
    title: "Roll back",
    submit: "Roll back",
    fields: () => [serviceField, revisionField],
    prefill: servicePrefill(async (service, context) => {
      const judged = await judgedBy(service, context);
      const goal = justLeft(service, judged) === undefined ? lastGood(service, judged) : undefined;
      const to = goal === undefined ? ": name the version to go back to" : ` goes back to ${describedRevision(goal)}`;
      return {
        notes: [aboutWorkload(service.name, to)],
        values: goal === undefined ? {} : { revision: String(goal.revision) },
      };
    }),
  },
  async propose({ name, revision, isLed = false, undoes }, context) {
    const service = await findService(name, context);
    const judged = await judgedBy(service, context);
    const goal = goalOf(service, judged, revision);
    const why = standingWords(goal);
    if (isLed && isAvoided(goal) && why !== undefined) throw ledAstray(service, { goal, why, judged });
    const { lines, isOfOthers } = takenBack(judged, { to: goal, userId: context.asker.userId, undoes });
    const backTo = backFrom(service, judged);
    const how = why === undefined ? "back to" : "to";
    const to = `${how} version ${goal.revision}${why === undefined ? "" : `, which ${why}`}, with its environment variables`;
    const change = serviceChange(service, context, {
      op: "updateService",
      body: { revision: goal.revision },
      diff: isNow(goal, service)
        ? []
        : [
            ...imageSteps(service, goal),
            to,
            ...lines,
            ...(why === undefined ? [] : [failureLine({ backTo, before: serviceSnapshot(service) })]),
          ],
      backTo,
    });
    // A revision can have another memory limit, too, and doesn't say so.
    const containers = goal.images?.map((image) => ({ image, memoryMiB: undefined }));
    return {
      ...change,
      footprint: { containers, instances: service.target_instance_size },
      ...(why !== undefined && { isDeploy: true }),
      ...(isOfOthers && !isNow(goal, service) && { ofOthers: lines }),
    };
  },
  /** A repeated request must not go back further. */
  settledArgs(args, change) {
    const revision = onlyUpdate(change, "revision");
    if (revision === undefined || args["revision"] !== undefined) return args;
    return { ...args, revision: String(revision), isLed: true };
  },
  undo: revisionBefore,
});

/** Throws a `UserError` that says which there are. */
function goalOf(service: Service, judged: readonly JudgedRevision[], wanted: number | undefined): JudgedRevision {
  const left = wanted === undefined ? justLeft(service, judged) : undefined;
  if (left !== undefined) throw wentAlready(service, { left, judged });
  const goal = wanted === undefined ? lastGood(service, judged) : judged.find(({ revision }) => revision === wanted);
  if (goal === undefined) throw notKept(service, { wanted, judged });
  return goal;
}

/** `image shop/web:1.5 → shop/web:1.4`, for each container that has another one. */
function imageSteps(service: Service, { images = [] }: Revision): string[] {
  const now = deployable(service);
  return (now.containers ?? []).flatMap(({ image = NOT_REPORTED }, at) => {
    const then = images[at];
    return then === undefined || then === image ? [] : [`image${ofContainer(now, at)} ${image} → ${then}`];
  });
}

/** `version 3 (shop/web:1.4, never got ready)` */
export function describedRevision({ revision, images = [] }: Revision, why?: string): string {
  const facts = [...images, ...(why === undefined ? [] : [why])];
  return `version ${revision}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

type Kept = { readonly judged: readonly JudgedRevision[] };

function notKept(service: Service, { wanted, judged }: Kept & { readonly wanted: number | undefined }): UserError {
  const { name } = service;
  if (wanted === undefined && judged.some((each) => !isNow(each, service))) {
    return new UserError(`It isn't known which earlier version of ${name} went well.`, choices(service, judged));
  }
  if (wanted !== undefined && judged.length > 0) {
    const kept = judged.map(({ revision }) => revision).join(", ");
    return new UserError(`Version ${wanted} of ${name} isn't kept.`, {
      next: `Nothing was changed. Its versions: ${kept}. Go back to one of them, or deploy the image that you want.`,
    });
  }
  const what =
    wanted === undefined ? `${name} has no earlier version that is kept.` : `Version ${wanted} of ${name} isn't kept.`;
  const none = judged.length === 0 ? " The workload API names none." : "";
  return new UserError(what, { next: `Nothing was changed.${none} Deploy the image that you want.` });
}

/** Two people in one incident ask for the same. */
function wentAlready(service: Service, { left, judged }: Kept & { readonly left: JudgedRevision }): UserError {
  const by = left.leftBy === undefined ? "" : ` by request ${left.leftBy.id}`;
  return new UserError(
    `${service.name} went back from version ${left.revision} already${by}.`,
    choices(service, judged),
  );
}

type Avoided = Kept & { readonly goal: JudgedRevision; readonly why: string };

function ledAstray(service: Service, { goal, why, judged }: Avoided): UserError {
  return new UserError(
    `This leads to version ${goal.revision} of ${service.name}, which ${why}.`,
    choices(service, judged),
  );
}

const MOST_CHOICES = 3;

/** The versions to choose from: buttons for those that were ready. */
function choices(service: Service, judged: readonly JudgedRevision[]) {
  const others = judged.filter((each) => !isNow(each, service));
  const ready = others.filter(({ standing }) => standing === "ready");
  const listed = others.map((each) =>
    describedRevision(each, each.standing === "unknown" ? undefined : standingWords(each)),
  );
  return {
    next:
      others.length === 0
        ? "Nothing was changed. No other version is kept."
        : `Nothing was changed. Name one: ${listed.join(", ")}.`,
    suggestions: ready.slice(0, MOST_CHOICES).map(({ revision }) => ({
      label: `Roll back ${service.name} to ${revision}`,
      ask: {
        verb: "rollback",
        share: false,
        args: { name: `service/${service.name}`, revision: String(revision), isLed: true },
      },
    })),
  };
}

/**
 * A deploy and other variables are taken back by the version from before. What went back itself left a version that
 * nothing leads to again.
 */
function revisionBefore(change: Change, requestId: string): Ask["args"] | undefined {
  const isRevised =
    change.isDeploy === true ||
    onlyUpdate(change, "containers")?.some(({ image, env }) => (image ?? env) !== undefined) === true;
  const before = earlierVersion(change)?.revision;
  return isRevised && before !== undefined ? { revision: String(before), isLed: true, undoes: requestId } : undefined;
}
