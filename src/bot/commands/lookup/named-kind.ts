import { Problem } from "../../../api/problem.ts";
import { UserError } from "../../errors.ts";
import type { VerbContext } from "../command.ts";
import type { ObjectKind, Target } from "../grammar/argument-types.ts";
import { readJob, readService, unknownName } from "./find.ts";
import { checkRead, maySee, readQuestion, visibleTarget } from "./may-see.ts";

/**
 * The workload that `statefulset/db` means, without its kind. Only the workload API knows what is a StatefulSet, so this takes one call, and
 * two where another kind has the name; none for other targets. Throws a `UserError` where it is of another kind or that isn't
 * known, and `ReadRefused`.
 */
export async function ofNamedKind({ object, kind, name }: Target, context: VerbContext): Promise<Target> {
  if (object === undefined || kind === undefined) return { kind, name };
  await visibleTarget({ kind, name }, context);
  const found = await objectOf({ kind, name }, context);
  if (found?.object === object) return { kind, name };
  // The name that our workload API gives it beside another kind: see KubernetesKind in openapi.yaml.
  const other = { kind, name: `${name}.${object.toLowerCase()}` };
  const isReported = found === undefined || found.object !== undefined;
  if (isReported && (await maySee({ ...other, region: context.region }, context))) {
    if ((await unlessRefused(objectOf(other, context)))?.object === object) {
      await checkOther(other, context);
      return other;
    }
  }
  if (found === undefined) throw await unknownName({ kind, name }, context);
  if (found.object === undefined) throw unknownKind({ kind, name }, object);
  throw new UserError(`${name} is a ${found.object}, not a ${object}. Nothing was changed.`, {
    next: `For the ${found.object}, write \`${found.object.toLowerCase()}/${name}\`.`,
  });
}

type Named = { readonly kind: "service" | "job"; readonly name: string };

/** Undefined where there is no such workload. */
async function objectOf(
  { kind, name }: Named,
  context: VerbContext,
): Promise<{ object: string | undefined } | undefined> {
  const found = kind === "job" ? await readJob(name, context) : await readService(name, context);
  return found && { object: found.kubernetes_kind };
}

/** Another workload API may take no names with dots. */
async function unlessRefused<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && (error.status === 400 || error.status === 422)) return undefined;
    throw error;
  }
}

/** Policy judged the verb on the plain name. */
async function checkOther({ kind, name }: Named, context: VerbContext): Promise<void> {
  const { actions, region, settings } = context;
  const isRead = actions.every(({ risk }) => risk === undefined);
  if (isRead) await checkRead(readQuestion(actions, { kind, name }, { ...settings, region }), context);
}

/** The workload API doesn't say what the workload is in Kubernetes. */
export function unknownKind({ kind, name }: Named, object: ObjectKind): UserError {
  return new UserError(`The workload API doesn't say whether ${name} is a ${object}. Nothing was changed.`, {
    next: `For the ${kind} of that name, write \`${kind}/${name}\`.`,
  });
}
