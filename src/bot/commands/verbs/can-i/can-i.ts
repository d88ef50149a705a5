import { z } from "zod";
import { UserError, attempt } from "../../../errors.ts";
import { canI, type Evaluation, type ActionAnswer } from "./view.ts";
import { limits } from "../../../views/kit/blocks.ts";
import { truncate } from "../../../views/kit/text.ts";
import type { Ask } from "../../../ask.ts";
import type { About, Action, Command, Context, ReadCommand, WriteCommand } from "../../command.ts";
import { shareField } from "../../forms/form.ts";
import { commonFlags, optionsOf } from "../../grammar/flags.ts";
import { findCommand } from "../../grammar/find-command.ts";
import { makeForm, type FormShape } from "../../forms/make-form.ts";
import { Problem } from "../../../../api/problem.ts";
import { bindingVerdict, type Proposal, proposeChange } from "../../lookup/authorize.ts";
import { kindOf } from "../../lookup/may-see.ts";
import { regionOf, Target } from "../../grammar/argument-types.ts";

const described = {
  name: "can-i",
  helpGroup: "Set up",
  summary: "Check whether you can do something, and who can approve it",
  usage: "can-i COMMAND [ARGUMENTS…]",
  example: "can-i scale web 0",
  near: ["can", "may", "permissions", "allowed", "policy"],
  phrases: [["what is allowed|policy", "can-i"]],
} as const;

const Args = z.object({ verb: z.string().default("help"), words: z.array(z.string()).default([]) });

/**
 * Keeps the words after VERB as they are: they belong to that verb. Takes a function because the list holds this verb.
 */
export function canICommand(all: () => readonly Command[]): ReadCommand {
  return {
    effect: "read",
    forEverybody: true,
    ...described,
    options: optionsOf({ share: commonFlags.share }),
    actions: [],
    about: () => undefined,
    ...formOf(all),
    parse([verb, ...words]): Ask {
      if (verb === undefined) throw new UserError("`can-i` needs a command to check.", described);
      findCommand(all(), verb);
      const own = wordsBeforeCommand(words);
      return {
        verb: described.name,
        share: own.includes("--share"),
        args: { verb, words: words.filter((word, at) => at >= own.length || word !== "--share") },
      };
    },
    async answer(ask, context) {
      const { verb, words } = Args.parse(ask.args);
      const command = findCommand(all(), verb);
      // Parsing --break-glass would require a reason, so it isn't among the words.
      const own = wordsBeforeCommand(words);
      const others = words.filter((word, at) => at >= own.length || word !== "--break-glass");
      const query = { command, words: others, breakGlass: own.includes("--break-glass") };
      return canI({ evaluation: await evaluate(query, context), verb: command, command: context.settings.command });
    },
  };
}

/** Any verb can be chosen, and the words after it may be incomplete. */
function formOf(all: () => readonly Command[]): Pick<ReadCommand, "form" | "unfinished"> {
  const verbs = () =>
    all().map(({ name, summary }) => ({
      value: name,
      text: name,
      description: truncate(summary, limits.optionDescription),
    }));
  const form: FormShape = {
    title: "Can I …?",
    submit: "Check",
    fields: () => [
      { id: "verb", label: "Command", isOptional: false, input: { kind: "choice", style: "menu", options: verbs() } },
      {
        id: "words",
        label: "Its arguments",
        placeholder: "For example: web 0",
        input: { kind: "command", maxLength: limits.inputLength },
      },
    ],
    toArgs: (raw) => ({ words: [], ...raw }),
  };
  const source = { verb: described.name, args: Args, form, common: [shareField] };
  return { form: makeForm(source), unfinished: (words) => (words.length === 0 ? {} : undefined) };
}

/** The words after `--` are a container's command. */
function wordsBeforeCommand(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}

/** A command that somebody might type. `--break-glass` is kept apart from the words, because it would need a reason. */
type Query = { readonly command: Command; readonly words: readonly string[]; readonly breakGlass: boolean };

/** Incomplete or wrong words are evaluated by the verb and the name. */
async function evaluate(query: Query, context: Context): Promise<Evaluation> {
  const { command, words, breakGlass } = query;
  if (command.actions.length === 0) return { kind: "free" };
  const ask = attempt(() => command.parse(words));
  if (command.effect === "bind") {
    // Without a new binding in the words, this evaluates a binding to the current region.
    const wish = ask instanceof UserError ? ({ kind: "show" } as const) : command.binding(ask); // a literal kind
    const answer = await bindingVerdict(wish, context);
    return { kind: "evaluated", workload: { kind: undefined, name: undefined }, answers: [answer] };
  }
  if (ask instanceof UserError) return evaluateActions(query, ask.message, context);
  if (command.effect === "write") return evaluateWrite({ ...query, command }, ask, context);
  const about = aboutIn(command, ask, context);
  if (about === undefined) return { kind: "free" };
  return { kind: "evaluated", workload: about.workload, answers: [await answerFor(about, breakGlass, context)] };
}

/** The question to policy, which depends on nothing that is read. */
function aboutIn(command: Command, ask: Ask, { settings }: Context): About | undefined {
  if (command.effect === "read") return command.about(ask, settings);
  if (command.effect !== "watch") return undefined;
  // A watch is judged by the names that it is about, which may be a pattern.
  const { kind, name } = command.wish(ask).target;
  const region = regionOf(kind, ask.region ?? settings.region, settings);
  return { op: "watch", risk: undefined, workload: { kind, region, name } };
}

/**
 * Evaluates a complete write by its effect, as if it were requested. A refusal shows no diff. Throws a `UserError` for
 * an unknown name.
 */
async function evaluateWrite(
  query: Query & { readonly command: WriteCommand },
  ask: Ask,
  context: Context,
): Promise<Evaluation> {
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
  if (!isCreation || (await engine())?.images !== undefined) return [];
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
