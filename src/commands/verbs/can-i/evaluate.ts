import { Problem } from "../../../api/problem.ts";
import { UserError } from "../../../errors.ts";
import type { Evaluation, ActionAnswer } from "./view.ts";
import type { Ask } from "../../ask.ts";
import { bindingVerdict } from "../../lookup/binding-verdict.ts";
import type { About, BindCommand, Command, Context, ReadCommand, WriteCommand } from "../../command.ts";
import { proposeChange } from "../../lookup/authorize.ts";
import { kindOf } from "../../lookup/best-verdict.ts";
import { regionOf, Target } from "../../grammar/target.ts";

/** A command that somebody might type. `--break-glass` is kept apart from the words, because it would need a reason. */
export type Hypothetical<Verb extends Command = Command> = {
  readonly command: Verb;
  readonly words: readonly string[];
  readonly breakGlass: boolean;
};

/** Evaluates the read itself; incomplete or wrong words are evaluated by the verb and the name. */
export async function evaluateRead(asked: Hypothetical<ReadCommand>, context: Context): Promise<Evaluation> {
  const ask = parsed(asked);
  if (typeof ask === "string") return evaluateActions(asked, ask, context);
  const about = asked.command.about(ask, context.settings);
  if (about === undefined) return { kind: "free" };
  return {
    kind: "judged",
    workload: about.workload,
    answers: [await answerFor(about, asked.breakGlass, context)],
    change: undefined,
    note: undefined,
    hasReason: false,
  };
}

/**
 * Evaluates a complete write by its effect, as if it were requested. A refusal shows no diff. Throws a `UserError` for
 * an unknown name.
 */
export async function evaluateWrite(asked: Hypothetical<WriteCommand>, context: Context): Promise<Evaluation> {
  const ask = parsed(asked);
  if (typeof ask === "string") return evaluateActions(asked, ask, context);
  const { command, breakGlass } = asked;
  try {
    const judged = await proposeChange(command, { ...ask, breakGlass }, context);
    const about = judged.kind === "refused" ? judged.found : judged.about;
    if (about === undefined) return evaluateActions(asked, undefined, context);
    return {
      kind: "judged",
      workload: about.workload,
      answers: [await answerFor(about, breakGlass, context)],
      change: judged.kind === "refused" ? undefined : { diff: judged.change.diff },
      note: undefined,
      hasReason: ask.reason !== undefined,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return evaluateActions(asked, `The workload could not be read. ${error.sentence}`, context);
  }
}

/** Without a new binding in the words, this evaluates a binding to the current region. */
export async function evaluateBinding(asked: Hypothetical<BindCommand>, context: Context): Promise<Evaluation> {
  const ask = parsed(asked);
  const wish = typeof ask === "string" ? ({ kind: "show" } as const) : asked.command.binding(ask);
  const { risk, verdict } = await bindingVerdict(wish, context);
  return {
    kind: "judged",
    workload: { kind: undefined, name: undefined },
    answers: [{ risk, kind: undefined, verdict, approvers: undefined, glassRule: undefined }],
    change: undefined,
    note: undefined,
    hasReason: false,
  };
}

/** The Ask, or the error's sentence. */
function parsed({ command, words }: Hypothetical): Ask | string {
  try {
    return command.parse(words);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

async function evaluateActions(asked: Hypothetical, note: string | undefined, context: Context): Promise<Evaluation> {
  const { command, words } = asked;
  const { kind, name, region = context.settings.region } = workloadIn(words, command);
  const ofKind = command.actions.filter((deed) => kind === undefined || kindOf(deed) === kind);
  const answers = (ofKind.length > 0 ? ofKind : command.actions).map(async (deed): Promise<ActionAnswer> => {
    const of = kindOf(deed);
    const about = { ...deed, workload: { kind: of, region: regionOf(of, region), name } };
    const judged = await answerFor(about, asked.breakGlass, context);
    const isOpen = name === undefined && judged.verdict.kind === "refuse";
    // Without a name, rules for names count as refusals, so the outlook may be better than the verdict.
    return isOpen && (await context.permissions.outlook([deed])) !== "refuse"
      ? { ...judged, verdict: { kind: "depends" } }
      : judged;
  });
  return {
    kind: "judged",
    workload: { kind, name },
    answers: await Promise.all(answers),
    change: undefined,
    note,
    hasReason: words.some((word) => word === "--reason" || word.startsWith("--reason=")),
  };
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

type NamedWorkload = {
  readonly kind: "service" | "job" | undefined;
  readonly name: string | undefined;
  readonly region: string | undefined;
};

/** The workload that incomplete words name, as far as they do. */
function workloadIn(words: readonly string[], { name: verb }: Pick<Command, "name">): NamedWorkload {
  const [first, second] = words.slice(0, firstFlag(words));
  const region = flagIn(words, "--region");
  // `create` takes the kind as a word of its own, and `list` takes no name.
  if (verb === "list") return { kind: undefined, name: undefined, region };
  const isKind = verb === "create" && (first === "service" || first === "job");
  const target = Target.safeParse(isKind ? second : first).data;
  return { kind: isKind ? first : target?.kind, name: target?.name, region };
}

function firstFlag(words: readonly string[]): number {
  const at = words.findIndex((word) => word.startsWith("-"));
  return at < 0 ? words.length : at;
}

function flagIn(words: readonly string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[at];
  return word?.includes("=") ? word.slice(flag.length + 1) : word && words[at + 1];
}
