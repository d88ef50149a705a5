import { Problem } from "../../../api/problem.ts";
import { UserError } from "../../errors.ts";
import type { VerbContext, Context, WriteCommand } from "../command.ts";
import { type Kind, type ObjectKind, type Target, regionOf } from "../grammar/argument-types.ts";
import { readWorkload, unknownName, workloadOf } from "./find.ts";
import { checkRead, maySee, readQuestion, visibleTarget, bestVerdict, kindOf, visibleItems } from "./may-see.ts";
import { matchesPattern } from "../../policy/patterns.ts";
import { nearNames } from "../../policy/near-names.ts";
import { counted } from "../../views/kit/text.ts";
import type { Ask } from "../../ask.ts";
import { askAbout, MOST_WORKLOADS, tooMany, type Wanted } from "../grammar/several.ts";
import { listJobs, listServices } from "./directory.ts";

/**
 * The workload that `statefulset/db` means, without its kind. Only the workload API knows which name is a StatefulSet's, so this takes one call, and
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

type Named = { readonly kind: Kind; readonly name: string };

/** Undefined where there is no such workload. */
async function objectOf(
  { kind, name }: Named,
  context: VerbContext,
): Promise<{ object: string | undefined } | undefined> {
  const found = await readWorkload(kind, name, context);
  return found && { object: workloadOf(found).kubernetes_kind };
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

/** `object`: what it is in Kubernetes, as reported. */
type Known = Named & { readonly object: string | undefined };

/** The request that names and patterns came from. */
type SeveralAsk = { readonly command: WriteCommand; readonly ask: Ask; readonly wanted: readonly Wanted[] };

/**
 * One Ask for each workload, in the order in which they were named; those of a pattern sorted by name. A pattern covers
 * only workloads that the person may see and use the verb on, so it reveals nothing. At most one list call per kind.
 * Throws a `UserError`: for more than `MOST_WORKLOADS`, or for a pattern that matches nothing.
 */
export async function asksFor(several: SeveralAsk, context: Context): Promise<readonly Ask[]> {
  const { ask, wanted } = several;
  const known = wanted.some(({ isPattern }) => isPattern) ? await usable(several, context) : [];
  const names = wanted.flatMap((each) => namesOf(each, known));
  const unique = [...new Set(names)];
  if (unique.length > MOST_WORKLOADS) {
    const [only, ...others] = wanted;
    const matches =
      only !== undefined && others.length === 0 ? `${only.typed} matches` : "Your names and patterns match";
    throw tooMany(`${matches} ${counted(unique.length, "workload")}`);
  }
  return unique.map((name) => askAbout(ask, name));
}

const MOST_NEAR = 3;

/** The first names that begin nearly as the pattern does. */
function nearPattern(pattern: string, known: readonly Known[]): readonly string[] {
  const letters = pattern.replaceAll("*", "");
  const isNear = (name: string): boolean => nearNames(letters, [name.slice(0, letters.length)]).length > 0;
  return known
    .map(({ name }) => name)
    .filter(isNear)
    .slice(0, MOST_NEAR);
}

function namesOf({ isPattern, typed, target }: Wanted, known: readonly Known[]): readonly string[] {
  if (!isPattern) return [typed];
  const ofKind = known.filter(({ kind }) => target.kind === undefined || target.kind === kind);
  const { object } = target;
  const matching = ofKind.filter(({ name }) => matchesPattern(target.name, name));
  const unreported = object === undefined ? undefined : matching.find((each) => each.object === undefined);
  if (object !== undefined && unreported !== undefined) throw unknownKind(unreported, object);
  const found = matching.filter((each) => object === undefined || each.object === object);
  if (found.length > 0) return found.map(({ kind, name }) => `${kind}/${name}`);
  const near = nearPattern(target.name, ofKind);
  throw new UserError(`No workload matches ${typed}.`, {
    next: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "See what there is with `list`.",
  });
}

/** Every workload that the person may see and use the verb on, sorted by name. */
async function usable(several: SeveralAsk, context: Context): Promise<readonly Known[]> {
  const kinds = new Set(several.command.actions.map(kindOf).filter((kind) => kind !== undefined));
  const named = await Promise.all([...kinds].map((kind) => usableOf(kind, several, context)));
  return named.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function usableOf(kind: Kind, several: SeveralAsk, context: Context): Promise<readonly Known[]> {
  const { command, ask } = several;
  const region = regionOf(kind, ask.region ?? context.settings.region, context.settings);
  const items = (await listed(kind, region, context)).filter(({ name }) => context.binding?.covers(name) ?? true);
  const seen = await visibleItems({ kind, region, items, nameOf: ({ name }) => name }, context);
  const named: Known[] = [];
  for (const each of seen) {
    const { name } = each;
    const best = await bestVerdict(command, { kind, name, region, breakGlass: ask.breakGlass === true }, context);
    if (best !== undefined && best.kind !== "refuse") named.push(each);
  }
  return named;
}

async function listed(kind: Kind, region: string, context: Context): Promise<readonly Known[]> {
  if (kind === "service") {
    const { items } = await listServices({ ...context, region });
    return items.map(({ name, kubernetes_kind: object }) => ({ kind, name, object }));
  }
  const { items } = await listJobs(context);
  return items.map(({ metadata: { name }, kubernetes_kind: object }) => ({ kind, name, object }));
}
