import { Problem } from "../../../../api/problem.ts";
import { attempt, UserError } from "../../../errors.ts";
import type { Evaluation, ActionAnswer } from "./view.ts";
import { bindingVerdict, type Proposal, proposeChange } from "../../lookup/authorize.ts";
import { kindOf } from "../../lookup/may-see.ts";
import type {
  About,
  Action,
  BindCommand,
  Command,
  Context,
  ReadCommand,
  WatchCommand,
  WriteCommand,
} from "../../command.ts";
import { regionOf, Target } from "../../grammar/argument-types.ts";

/** A command that somebody might type. `--break-glass` is kept apart from the words, because it would need a reason. */
export type Query<Verb extends Command = Command> = {
  readonly command: Verb;
  readonly words: readonly string[];
  readonly breakGlass: boolean;
};

/** Evaluates the read itself; incomplete or wrong words are evaluated by the verb and the name. */
export async function evaluateRead(query: Query<ReadCommand>, context: Context): Promise<Evaluation> {
  const ask = attempt(() => query.command.parse(query.words));
  if (ask instanceof UserError) return evaluateActions(query, ask.message, context);
  const about = query.command.about(ask, context.settings);
  if (about === undefined) return { kind: "free" };
  return onlyAbout(about, query, context);
}

/** The answer to one question that depends on nothing that is read. */
async function onlyAbout(about: About, { breakGlass }: Query, context: Context): Promise<Evaluation> {
  return {
    kind: "evaluated",
    workload: about.workload,
    answers: [await answerFor(about, breakGlass, context)],
  };
}

/**
 * Evaluates a complete write by its effect, as if it were requested. A refusal shows no diff. Throws a `UserError` for
 * an unknown name.
 */
export async function evaluateWrite(query: Query<WriteCommand>, context: Context): Promise<Evaluation> {
  const ask = attempt(() => query.command.parse(query.words));
  if (ask instanceof UserError) return evaluateActions(query, ask.message, context);
  const { command, breakGlass } = query;
  try {
    const proposal = await proposeChange(command, { ...ask, breakGlass }, context);
    const about = proposal.kind === "refused" ? proposal.found : proposal.about;
    if (about === undefined) return evaluateActions(query, undefined, context);
    return {
      kind: "evaluated",
      workload: about.workload,
      answers: [proposal.kind === "impossible" ? refusedByApi(proposal) : await answerFor(about, breakGlass, context)],
      change: proposal.kind === "proposed" ? { diff: proposal.change.diff } : undefined,
      hasReason: ask.reason !== undefined,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return evaluateActions(query, `Couldn't read the workload. ${error.sentence}`, context);
  }
}

/** Without a new binding in the words, this evaluates a binding to the current region. */
export async function evaluateBinding(query: Query<BindCommand>, context: Context): Promise<Evaluation> {
  const ask = attempt(() => query.command.parse(query.words));
  const wish = ask instanceof UserError ? ({ kind: "show" } as const) : query.command.binding(ask);
  const { risk, verdict } = await bindingVerdict(wish, context);
  return {
    kind: "evaluated",
    workload: { kind: undefined, name: undefined },
    answers: [{ risk, verdict }],
  };
}

/** A watch is judged by the names that it is about, which may be a pattern. */
export async function evaluateWatch(query: Query<WatchCommand>, context: Context): Promise<Evaluation> {
  const ask = attempt(() => query.command.parse(query.words));
  if (ask instanceof UserError) return evaluateActions(query, ask.message, context);
  const { kind, name } = query.command.wish(ask).target;
  const region = regionOf(kind, ask.region ?? context.settings.region, context.settings);
  const about = { op: "watch", risk: undefined, workload: { kind, region, name } } as const; // a literal action
  return onlyAbout(about, query, context);
}

async function evaluateActions(query: Query, note: string | undefined, context: Context): Promise<Evaluation> {
  const { command, words } = query;
  const { kind, name, region = context.settings.region } = workloadIn(words, command);
  const actions = [...command.actions, ...(await withNewImage(command, context))];
  const ofKind = actions.filter((action) => kind === undefined || kindOf(action) === kind);
  const answers = (ofKind.length > 0 ? ofKind : actions).map(async (action): Promise<ActionAnswer> => {
    const of = kindOf(action);
    const about = { ...action, workload: { kind: of, region: regionOf(of, region, context.settings), name } };
    const answer = await answerFor(about, query.breakGlass, context);
    const isOpen = name === undefined && answer.verdict.kind === "refuse";
    // Without a name, rules for names count as refusals, so the outlook may be better than the verdict.
    if (isOpen && (await context.permissions.outlook([action])) !== "refuse") {
      return { ...answer, verdict: { kind: "depends", on: "workload" } };
    }
    if (answer.verdict.kind === "allow") return answer;
    // Likewise rules for images and sizes.
    const best = await context.permissions.verdict(about, { breakGlass: query.breakGlass, isAtBest: true });
    return best.kind === answer.verdict.kind
      ? answer
      : { ...answer, verdict: { kind: "depends", on: "image or size" } };
  });
  return {
    kind: "evaluated",
    workload: { kind, name },
    answers: await Promise.all(answers),
    note,
    hasReason: words.some((word) => word === "--reason" || word.startsWith("--reason=")),
  };
}

/** Creating something is disruptive where its image may be new: see `checkImage`. */
async function withNewImage({ actions }: Query["command"], { engine }: Context): Promise<readonly Action[]> {
  const isCreation = actions.some(({ op }) => op === "createService");
  if (!isCreation || (await engine())?.ownImagesOnly === true) return [];
  return actions.map(({ op }) => ({ op, risk: "disruptive" }));
}

/** The workload API would refuse, whatever the policy says. */
function refusedByApi({ about, why }: Extract<Proposal, { kind: "impossible" }>): ActionAnswer {
  const verdict = { kind: "refuse", rule: undefined, why, next: "" } as const;
  return { risk: about.risk, kind: about.workload.kind, verdict };
}

/** The verdict, possible approvers, and the rule that --break-glass would use. */
async function answerFor(about: About, breakGlass: boolean, { permissions }: Context): Promise<ActionAnswer> {
  const verdict = await permissions.verdict(about, { breakGlass });
  const isStopped = verdict.kind === "approve" || verdict.kind === "refuse";
  const broken =
    isStopped && !breakGlass && about.risk !== undefined && about.op !== "bindChannel"
      ? await permissions.verdict(about, { breakGlass: true })
      : undefined;
  return {
    risk: about.risk,
    kind: about.workload.kind,
    verdict,
    approvers: verdict.kind === "approve" ? await permissions.approvers(verdict.terms.from) : undefined,
    glassRule: broken?.kind === "break-glass" ? broken.rule : undefined,
  };
}

/** The workload that incomplete words name, as far as they do. */
function workloadIn(words: readonly string[], { name: verb }: Pick<Command, "name">) {
  const flagsAt = words.findIndex((word) => word.startsWith("-"));
  const [first, second] = flagsAt < 0 ? words : words.slice(0, flagsAt);
  const region = flagIn(words, "--region");
  // `create` takes the kind as a word of its own, and `list` takes no name.
  if (verb === "list") return { kind: undefined, name: undefined, region };
  const isKind = verb === "create" && (first === "service" || first === "job");
  const target = Target.safeParse(isKind ? second : first).data;
  return { kind: isKind ? first : target?.kind, name: target?.name, region };
}

function flagIn(words: readonly string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[at];
  return word?.includes("=") ? word.slice(flag.length + 1) : word && words[at + 1];
}
