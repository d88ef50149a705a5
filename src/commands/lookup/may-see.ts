import { UserError } from "../../errors.ts";
import type { Verdict } from "../../policy/verdict.ts";
import type { About, Context } from "../command.ts";

export type Refusal = Extract<Verdict, { kind: "refuse" }>;

type Judging = Pick<Context, "permissions">;
type Kind = "service" | "job";
/** A workload's identity, as in a record or a list. */
export type Named = { readonly kind: Kind; readonly region: string; readonly name: string };

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

/**
 * Why policy refuses this read, or undefined. Reads can't be approved, so a rule that requires approval refuses them.
 */
export function refusalToSee(verdict: Verdict): Refusal | undefined {
  if (verdict.kind === "allow" || verdict.kind === "break-glass") return undefined;
  if (verdict.kind === "refuse") return verdict;
  const { rule } = verdict;
  return {
    kind: "refuse",
    rule,
    why: `The rule “${rule}” requires an approval, but only changes can be approved.`,
    next: "Ask those who run Gantry here for a rule that allows or refuses it.",
  };
}

/** Throws `LookRefused` when the person may not see this. */
export async function checkFound(about: About, { permissions }: Judging): Promise<void> {
  const refusal = refusalToSee(await permissions.verdict(about));
  if (refusal !== undefined) throw new ReadRefused(refusal, about);
}

const getOps = { service: "getService", job: "getJob" } as const;
const listOps = { service: "listServices", job: "listJobs" } as const;

/** The question to policy before showing this workload; without a name or region, before showing any. */
export function aboutSeeing({ kind, ...where }: Partial<Named> & Pick<Named, "kind">): About {
  return { op: getOps[kind], risk: undefined, workload: { kind, region: where.region, name: where.name } };
}

/** Whether policy lets the person see this workload. Makes no API call. */
export async function maySee(workload: Named, { permissions }: Judging): Promise<boolean> {
  const { kind, region, name } = workload;
  return refusalToSee(await permissions.verdict(aboutSeeing({ kind, region, name }))) === undefined;
}

type Candidates<Item> = {
  readonly kind: Kind;
  readonly region: string;
  readonly items: readonly Item[];
  readonly nameOf: (item: Item) => string;
  /** Stops at this many; returns all when undefined. */
  readonly most?: number;
};

/**
 * Filters workloads to those whose names the person may see: those they may read and, if they may list the kind, those
 * no rule hides. Makes no API call.
 */
export async function suggestible<Item>(
  candidates: Candidates<Item>,
  { permissions }: Judging,
): Promise<readonly Item[]> {
  const { kind, region, items, nameOf, most = Number.POSITIVE_INFINITY } = candidates;
  // A verdict of allow without a name covers every name: one question instead of thousands.
  const forAny = await permissions.verdict(aboutSeeing({ kind, region }));
  if (forAny.kind === "allow") return items.slice(0, most);
  const listing = await permissions.verdict({
    op: listOps[kind],
    risk: undefined,
    workload: { kind, region, name: undefined },
  });
  const mayList = refusalToSee(listing) === undefined;
  const found: Item[] = [];
  for (const item of items) {
    if (found.length >= most) break;
    const verdict = await permissions.verdict(aboutSeeing({ kind, region, name: nameOf(item) }));
    const isListed = mayList && verdict.kind === "refuse" && verdict.rule === undefined;
    if (isListed || refusalToSee(verdict) === undefined) found.push(item);
  }
  return found;
}
