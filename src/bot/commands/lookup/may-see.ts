import { UserError } from "../../errors.ts";
import { betterVerdict } from "../../policy/evaluate.ts";
import { operationFacts } from "../../policy/operation-facts.ts";
import type { Verdict } from "../../policy/policy.ts";
import type { About, Action, Command, Context, VerbContext } from "../command.ts";
import { regionOf, type Regions, type Target } from "../grammar/argument-types.ts";

/**
 * The only place that decides whether a person may learn that a workload exists. They may when policy allows them to
 * read it: `getService` or `getJob`, at once. A verb that policy lets them use on the name reveals it too, and so does
 * a list they may read, unless a rule hides the workload. Nothing here makes an API call.
 */
type Kind = "service" | "job";

/** A workload by its name. A record may lack the kind or the region. */
type Named = { readonly kind: Kind | undefined; readonly region?: string; readonly name: string };

export type Refusal = Extract<Verdict, { kind: "refuse" }>;

/** Policy refuses a read. Carries the refusal for history. */
export class ReadRefused extends UserError {
  readonly refusal: Refusal;
  readonly about: About;

  constructor(refusal: Refusal, about: About) {
    super(refusal.why, { next: refusal.next });
    this.refusal = refusal;
    this.about = about;
  }
}

const kinds = ["service", "job"] as const;
const reads = { service: "getService", job: "getJob" } as const;
const lists = { service: "listServices", job: "listJobs" } as const;

/**
 * Why policy refuses a read, or undefined. Only changes can be approved, so a rule that requires approval refuses a
 * read. Pure.
 */
export function readRefusal(verdict: Verdict): Refusal | undefined {
  if (verdict.kind === "allow" || verdict.kind === "break-glass") return undefined;
  if (verdict.kind === "refuse") return verdict;
  const { rule } = verdict;
  return {
    kind: "refuse",
    rule,
    why: `Policy “${rule}” asks for an approval, but only changes can be approved.`,
    next: "Ask your Gantry admin for a rule that allows or refuses it.",
  };
}

/** Throws `ReadRefused` when policy refuses this read. */
export async function checkRead(about: About, { permissions }: Permitted): Promise<void> {
  const refusal = readRefusal(await permissions.verdict(about));
  if (refusal !== undefined) throw new ReadRefused(refusal, about);
}

/** The question to policy before a named workload is read; a bare name counts as a service until it is found. */
export function readQuestion(actions: readonly Action[], { kind, name }: Target, settings: Regions): About {
  const [only, ...others] = new Set(actions.map(kindOf));
  const known = others.length === 0 ? only : kind;
  const { op } = actions.find((action) => kindOf(action) === (known ?? "service")) ?? { op: reads.service };
  return { op, risk: undefined, workload: { kind: known, region: regionOf(known, settings.region, settings), name } };
}

type Where = { readonly region?: string; readonly name?: string };

function aboutReading(kind: Kind, { region, name }: Where, settings: Permitted["settings"]): About {
  return { op: reads[kind], risk: undefined, workload: { kind, region: regionOf(kind, region, settings), name } };
}

/** Whether the person may see this workload; without a kind, whether they may see a service and a job of that name. */
export async function maySee({ kind, ...workload }: Named, permitted: Permitted): Promise<boolean> {
  const asked = kind === undefined ? kinds : [kind];
  const refusals = await Promise.all(asked.map((each) => seeingRefusal({ ...workload, kind: each }, permitted)));
  return refusals.every((refusal) => refusal === undefined);
}

/** As somebody typed it: a name, or a pattern. */
export type Typed = { readonly kind?: Kind | undefined; readonly names: string; readonly region: string };

/** Whether the person may name all of these. A pattern counts as a name; `*` is none. */
export async function mayName(targets: readonly Typed[], permitted: Permitted): Promise<boolean> {
  const named = targets.filter(({ names }) => names !== "*");
  const may = await Promise.all(
    named.map(({ kind, names: name, region }) => maySee({ kind, name, region }, permitted)),
  );
  return may.every(Boolean);
}

/** Whether the person may read its log. */
export async function mayReadLog(
  workload: Named & { readonly kind: Kind; readonly region: string },
  { permissions }: Pick<Permitted, "permissions">,
): Promise<boolean> {
  const op = workload.kind === "service" ? "getServiceLogs" : "getJobInstanceLogs";
  return readRefusal(await permissions.verdict({ op, risk: undefined, workload })) === undefined;
}

/** Why the person may not see this workload, or undefined. */
export async function seeingRefusal(
  { kind, ...workload }: Named & { readonly kind: Kind },
  { permissions, settings }: Permitted,
): Promise<Refusal | undefined> {
  return readRefusal(await permissions.verdict(aboutReading(kind, workload, settings)));
}

/** Throws `ReadRefused` when the person may not see this workload. */
export function checkMaySee({ kind, ...workload }: Named & { readonly kind: Kind }, context: Permitted): Promise<void> {
  return checkRead(aboutReading(kind, workload, context.settings), context);
}

/** Why the person may not list this kind, or undefined. */
export async function listRefusal(
  kind: Kind,
  region: string,
  { permissions, settings }: Permitted,
): Promise<Refusal | undefined> {
  const workload = { kind, region: regionOf(kind, region, settings), name: undefined };
  return readRefusal(await permissions.verdict({ op: lists[kind], risk: undefined, workload }));
}

type Candidates<Item> = {
  readonly kind: Kind;
  readonly region: string;
  readonly items: readonly Item[];
  readonly nameOf: (item: Item) => string;
  /** Stops at this many; returns all when undefined. */
  readonly most?: number;
};

/** Those of the workloads whose names the person may see. */
export async function visibleItems<Item>(candidates: Candidates<Item>, context: Permitted): Promise<readonly Item[]> {
  const { kind, region, items, nameOf, most = Number.POSITIVE_INFINITY } = candidates;
  const { permissions, settings } = context;
  // A verdict of allow without a name covers every name: one question instead of thousands.
  const forAny = await permissions.verdict(aboutReading(kind, { region }, settings));
  if (forAny.kind === "allow") return items.length <= most ? items : items.slice(0, most);
  const mayList = (await listRefusal(kind, region, context)) === undefined;
  const visible: Item[] = [];
  for (const item of items) {
    if (visible.length >= most) break;
    const verdict = await permissions.verdict(aboutReading(kind, { region, name: nameOf(item) }, settings));
    const isListed = mayList && verdict.kind === "refuse" && verdict.rule === undefined;
    if (isListed || readRefusal(verdict) === undefined) visible.push(item);
  }
  return visible;
}

/**
 * Narrows a bare name to the kinds that the person may see or use the verb on, so that the answer doesn't reveal
 * whether one exists. Policy has judged an explicit kind with the verb already, except in a form's prefill, which has
 * no actions. Throws `ReadRefused` when no kind is left.
 */
export async function visibleTarget(target: Target, context: VerbContext): Promise<Target> {
  const { kind: wanted, name } = target;
  const { region, actions } = context;
  if (wanted !== undefined && actions.length > 0) return target;
  const asked = wanted === undefined ? kinds : [wanted];
  const visible = await Promise.all(
    asked.map(async (kind) =>
      (await mayUse(kind, name, context)) || (await maySee({ kind, region, name }, context)) ? [kind] : [],
    ),
  );
  const [first, ...others] = visible.flat();
  if (first === undefined) await checkMaySee({ kind: asked[0] ?? "service", region, name }, context);
  return { kind: others.length > 0 ? undefined : first, name };
}

async function mayUse(kind: Kind, name: string, context: VerbContext): Promise<boolean> {
  const best = await bestVerdict(context, { kind, name, region: context.region }, context);
  if (best === undefined) return false;
  const isRead = context.actions.every(({ risk }) => risk === undefined);
  return isRead ? readRefusal(best) === undefined : best.kind !== "refuse";
}

type Aim = {
  readonly kind: "service" | "job" | undefined;
  readonly name: string;
  /** The region of services. */
  readonly region: string;
  readonly breakGlass?: boolean;
};

export function kindOf({ op }: Pick<Action, "op">): "service" | "job" | undefined {
  return operationFacts[op].kind;
}

/** Whose rights, and where jobs run. */
export type Permitted = Pick<Context, "permissions"> & { readonly settings: Pick<Regions, "jobsRegion"> };

/**
 * Policy's best verdict on anything this verb can do with the workload. Without a kind, both kinds count. Undefined
 * when the verb doesn't work on the kind. Makes no API call.
 */
export async function bestVerdict(
  { actions }: Pick<Command, "actions">,
  { kind: wanted, name, region, breakGlass = false }: Aim,
  { permissions, settings }: Permitted,
): Promise<Verdict | undefined> {
  // Watching is about either kind.
  const possible = actions.filter((action) => wanted === undefined || (kindOf(action) ?? wanted) === wanted);
  const verdicts = await Promise.all(
    possible.map((action) => {
      const kind = kindOf(action) ?? wanted;
      return permissions.verdict(
        { ...action, workload: { kind, region: regionOf(kind, region, settings), name } },
        { breakGlass, isAtBest: true },
      );
    }),
  );
  const [first, ...rest] = verdicts;
  return first === undefined ? undefined : rest.reduce(betterVerdict, first);
}
