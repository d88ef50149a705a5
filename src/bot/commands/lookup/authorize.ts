import { actionOf, riskOf } from "../../changes/updatable-fields.ts";
import { footprintOf } from "../../changes/footprint.ts";
import type { Change } from "../../changes/change.ts";
import { betterVerdict } from "../../policy/evaluate.ts";
import type { Verdict } from "../../policy/policy.ts";
import type { Risk } from "../../policy/operation-facts.ts";
import type { Ask } from "../../ask.ts";
import { BIG_STEP } from "../../views/kit/verb-words.ts";
import type { About, Command, Context, ReadCommand, WriteCommand, BindingWish } from "../command.ts";
import type { FormValues } from "../forms/form.ts";
import { bestVerdict, kindOf, listRefusal, readRefusal, type Refusal, type Permitted } from "./may-see.ts";
import { regionOf, type Regions, Target } from "../grammar/argument-types.ts";
import type { Binding } from "../../policy/binding.ts";
import { UserError } from "../../errors.ts";

/** The workload a request named, as far as it is known, for history. */
export type NamedWorkload = {
  readonly kind: "service" | "job" | undefined;
  readonly region: string | undefined;
  readonly name: string;
};

export type Refused = { readonly refusal: Refusal; readonly workload: NamedWorkload | undefined };

/**
 * Refuses a read before making it. Verbs that need no rule need a full member, unless they are for everybody. Makes no
 * API call.
 */
export async function refusedRead(command: ReadCommand, ask: Ask, context: Context): Promise<Refused | undefined> {
  const about = command.about(ask, context.settings);
  if (about === undefined) {
    const refusal = await refusalOfNonMember(command, context);
    return refusal && { refusal, workload: undefined };
  }
  const refusal = readRefusal(await context.permissions.verdict(about));
  const { name, kind, region } = about.workload;
  return refusal && { refusal, workload: name === undefined ? undefined : { kind, region, name } };
}

async function refusalOfNonMember({ forEverybody }: ReadCommand, context: Context): Promise<Refusal | undefined> {
  const { standing } = context.asker;
  // Policy refuses every request of theirs, with a reason.
  if (standing === "bot" || standing === "deactivated") return listRefusal("service", context.settings.region, context);
  if (standing === "member" || forEverybody === true) return undefined;
  const why = "Only full members of this workspace can see requests and history.";
  return { kind: "refuse", rule: undefined, why, next: "Ask a full member." };
}

export type Proposal =
  | (Refused & {
      readonly kind: "refused";
      readonly workload: NamedWorkload;
      /** The question to policy, when it depended on the workload's state. */
      readonly found?: About;
    })
  /** Policy doesn't refuse it, but the workload API would. */
  | {
      readonly kind: "impossible";
      readonly change: Change;
      readonly about: About & { readonly risk: Risk };
      readonly why: string;
    }
  | {
      readonly kind: "proposed";
      readonly change: Change;
      readonly about: About & { readonly risk: Risk };
      readonly verdict: Exclude<Verdict, Refusal>;
      readonly ofOthers: readonly string[];
    };

/**
 * The only way to a Change, for commands, forms, previews and `can-i`. Asks policy twice: before any read, for its best
 * possible verdict on this verb and name, and again about the workload as it is. A refusal reveals no name, diff or
 * state. Throws what `propose` throws.
 */
export async function proposeChange(command: WriteCommand, ask: Ask, context: Context): Promise<Proposal> {
  const upFront = await refusedWrite(command, ask, context);
  if (upFront !== undefined) return { kind: "refused", ...upFront };
  const { refusal: why, ofOthers = [], ...change } = await command.propose(ask, context);
  const about = aboutChange(change);
  const verdict = await context.permissions.verdict(about, { breakGlass: ask.breakGlass === true });
  if (verdict.kind === "refuse") return { kind: "refused", refusal: verdict, workload: about.workload, found: about };
  if (why !== undefined && change.diff.length > 0) return { kind: "impossible", change, about, why };
  const bigStep = verdict.kind === "approve" ? verdict.bigStep : undefined;
  const note = bigStep === undefined ? [] : [`${bigStep} ${BIG_STEP}`];
  const shown = { ...change, diff: [...change.diff, ...note] };
  return { kind: "proposed", change: shown, about, verdict, ofOthers };
}

/** The question to policy about a Change. Pure. */
export function aboutChange(change: Change): About & { readonly risk: Risk; readonly workload: NamedWorkload } {
  const { call, before, workload } = change;
  const { kind, region, name } = workload;
  const risk = riskOf(call, before);
  const isCertain = change.newImage === undefined && change.isDeploy !== true;
  return {
    op: actionOf(call),
    risk: isCertain || risk !== "routine" ? risk : "disruptive",
    workload: { kind, region, name },
    footprint: footprintOf(change),
  };
}

/** Judges a service verb used on a job as if it named a service. The verb itself reports the mistake later. */
async function refusedWrite(command: WriteCommand, ask: Ask, context: Context) {
  const { kind, name } = command.target(ask);
  const region = ask.region ?? context.settings.region;
  const breakGlass = ask.breakGlass === true;
  const best =
    (await bestVerdict(command, { kind, name, region, breakGlass }, context)) ??
    (await bestVerdict(command, { kind: undefined, name, region, breakGlass }, context));
  if (best?.kind !== "refuse") return undefined;
  return {
    refusal: best,
    workload: namedWorkload(command, { kind, name }, { region, jobsRegion: context.settings.jobsRegion }),
  };
}

/** The workload for history. A verb that works on one kind implies the kind. */
function namedWorkload(
  { actions }: Pick<Command, "actions">,
  { kind: wanted, name }: Target,
  { region, jobsRegion }: Regions,
): NamedWorkload {
  const [first, ...others] = new Set(actions.map(kindOf));
  const kind = wanted ?? (others.length === 0 ? first : undefined);
  return { kind, region: regionOf(kind, region, { jobsRegion }), name };
}

/** Policy's answer to a form before it is filled in. */
type FormOutlook =
  | (Refused & { readonly kind: "refused" })
  /** `needsReason`: no way to complete it works without one. */
  | { readonly kind: "open"; readonly needsReason: boolean };

/**
 * Refuses a change form when policy would refuse every way to complete it, with or without `--break-glass`. Makes no
 * API call.
 */
export async function formOutlook(command: Command, values: FormValues, context: Context): Promise<FormOutlook> {
  if (command.effect === "read" || command.actions.length === 0) return { kind: "open", needsReason: false };
  const target = command.effect === "write" ? targetIn(values) : undefined;
  if (target === undefined) return outlookOnAny(command, context);
  const { kind, name } = target;
  const region = values["region"] ?? context.settings.region;
  const [usual, glass] = await Promise.all(
    [false, true].map((breakGlass) => bestVerdict(command, { kind, name, region, breakGlass }, context)),
  );
  const workload = namedWorkload(command, target, { region, jobsRegion: context.settings.jobsRegion });
  if (usual?.kind === "refuse" && glass !== undefined && betterVerdict(usual, glass) === usual) {
    return { kind: "refused", refusal: usual, workload };
  }
  const possible = command.actions.filter((action) => kind === undefined || (kindOf(action) ?? kind) === kind);
  const outcome = await context.permissions.outlook(possible, { workload: { region, name } });
  return { kind: "open", needsReason: outcome === "approve-with-reason" };
}

/** The workload chosen or typed in a form. Create forms have a separate field for the kind. */
function targetIn(values: FormValues): Target | undefined {
  const target = Target.safeParse(values["name"]).data;
  const kind = values["kind"] === "service" || values["kind"] === "job" ? values["kind"] : target?.kind;
  return target && { kind, name: target.name };
}

async function outlookOnAny({ actions }: Command, { permissions }: Context): Promise<FormOutlook> {
  const outcome = await permissions.outlook(actions);
  const open = { kind: "open", needsReason: outcome === "approve-with-reason" } as const;
  const [first] = actions;
  if (outcome !== "refuse" || first === undefined) return open;
  if ((await permissions.outlook(actions, { breakGlass: true })) !== "refuse") return open;
  const refusal = await permissions.verdict({
    ...first,
    workload: { kind: kindOf(first), region: undefined, name: undefined },
  });
  return refusal.kind === "refuse" ? { kind: "refused", refusal, workload: undefined } : open;
}

type Now = Pick<Context, "defaultRegion"> & {
  readonly binding: Binding | undefined;
  readonly asker: { readonly userId: string };
  readonly permissions: Pick<Context["permissions"], "verdict">;
};

export type BindingVerdict = { readonly risk: Risk; readonly verdict: Verdict };

/**
 * Asks policy whether a channel may be bound: about the new region and, when that changes or lifts a lock, about the
 * locked region. Without a region, the configured one counts. Changing another person's lock is destructive, so by the
 * default policy only the person who locked a channel can unlock it.
 */
export async function bindingVerdict(
  wish: BindingWish,
  { binding, defaultRegion, asker, permissions }: Now,
): Promise<BindingVerdict> {
  const ask = (region = defaultRegion, risk: Risk = "routine"): Promise<Verdict> =>
    permissions.verdict({ op: "bindChannel", risk, workload: { kind: undefined, region, name: undefined } });
  if (wish.kind === "bind") {
    const verdict = await ask(wish.terms.region);
    if (verdict.kind !== "allow" || binding?.isLocked !== true) return { risk: "routine", verdict };
  }
  const isOthersLock = binding?.isLocked === true && binding.boundBy.userId !== asker.userId;
  if (wish.kind === "show" || !isOthersLock) return { risk: "routine", verdict: await ask(binding?.region) };
  const verdict = await ask(binding.region, "destructive");
  return { risk: "destructive", verdict: verdict.kind === "refuse" ? lockStays(verdict, binding) : verdict };
}

function lockStays(refusal: Extract<Verdict, { kind: "refuse" }>, { boundBy: { name } }: Binding): Verdict {
  return {
    ...refusal,
    why: `${name} locked this channel. Only ${name}, or a person allowed by a policy rule, can change that.`,
    next: `Ask ${name}, or ask your Gantry admin for a rule that allows bindChannel.`,
  };
}

/** The verbs that a workload's card can offer. */
export function offeredVerbs(commands: readonly Command[]): readonly Command[] {
  return commands.filter(({ button }) => button !== undefined);
}

type Workload = { readonly kind: "service" | "job"; readonly name: string; readonly region: string };

/** Those of them that policy would not refuse this person here for this workload. Makes no API call. */
export async function allowedVerbs(
  commands: readonly Command[],
  workload: Workload,
  context: Permitted,
): Promise<readonly Command[]> {
  const offered = offeredVerbs(commands);
  const allowed = await Promise.all(offered.map((command) => isAllowed(command, workload, context)));
  return offered.filter((_, at) => allowed[at]);
}

async function isAllowed(command: Command, workload: Workload, context: Permitted): Promise<boolean> {
  const { effect, actions } = command;
  const creates = actions.filter(({ op }) => op === "createService" || op === "createJob");
  if (creates.length > 0) {
    // The new workload gets another name, so rules about this name don't count.
    const ofKind = creates.filter((action) => kindOf(action) === workload.kind);
    return (await context.permissions.outlook(ofKind)) !== "refuse";
  }
  const verdict = await bestVerdict(command, workload, context);
  if (verdict === undefined) return false;
  return effect === "read" ? readRefusal(verdict) === undefined : verdict.kind !== "refuse";
}

/**
 * Why the workload API can't do what this verb asks it for, whatever it is about: its document knows no way to change these. Asked
 * before a form is filled in, and before anybody is asked to approve it. Undefined when it can.
 */
export async function unableTo(
  command: Pick<WriteCommand, "effect" | "extension"> | Exclude<Command, WriteCommand>,
  { engine }: Pick<Context, "engine">,
): Promise<UserError | undefined> {
  const what = command.effect === "write" ? command.extension : undefined;
  if (what === undefined) return undefined;
  const info = await engine();
  if (info?.keepsRevisions === true) return undefined;
  // It may only have been slow to say.
  const [can, again] = info === undefined ? ["doesn't say that it can", "Try again, or create"] : ["can't", "Create"];
  return new UserError(`This workload API ${can} change the ${what} of a service.`, {
    next:
      `Nothing was changed. ${again} a service with the new ${what} under another name, and delete the old one when the ` +
      "new one is healthy.",
  });
}
