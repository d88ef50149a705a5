import type { z } from "zod";
import type { Change } from "../../changes/change.ts";
import { UserError } from "../../errors.ts";
import type { Message } from "../../views/kit/message.ts";
import type { Ask } from "../ask.ts";
import type {
  About,
  BindCommand,
  BindingWish,
  Context,
  DecideCommand,
  Decision,
  Action,
  Option,
  ReadCommand,
  WriteCommand,
} from "../command.ts";
import { readFields, rejectReasonField, shareField, writeFields, type CommonField } from "../forms/common-fields.ts";
import { commonFlags, readFlags, writeFlags, type Flags, type Typed } from "./flags.ts";
import type { Form, FormFacts, FormValues } from "../forms/form.ts";
import { commonTexts, commonTyped } from "./common-arguments.ts";
import type { FormShape } from "../forms/make-form.ts";
import { pointing, type Pointing } from "../forms/pointing.ts";
import type { Target } from "./target.ts";

/** What stands in a verb's own file: how it reads, and the schema of its arguments, shared by words and forms. */
type Shape<Args extends z.ZodType> = {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly example: string;
  readonly flags: Flags;
  /** How many words it takes besides flags. */
  readonly words: number;
  /** Whether the words after `--` are the command of a container. */
  readonly takesCommand?: true;
  readonly args: Args;
  /** Which typed word is which argument; checking them is the schema's work. */
  readonly read: (typed: Typed) => unknown;
  readonly form?: FormShape & {
    /** See `Form`. Of a bare name it judges what it finds, as `answer` does. */
    readonly prefill?: (values: FormValues, context: VerbContext) => Promise<FormFacts>;
  };
};

/** A verb's inputs besides its arguments: the context, the Ask (region, share), and the rules. */
export type VerbContext = Context & Ruled & { readonly ask: Ask; readonly region: string };

type Ruled = { readonly actions: readonly Action[] };
type ReadShape<Args extends z.ZodType> = Shape<Args> & {
  readonly answer: (args: z.output<Args>, context: VerbContext) => Promise<Message>;
};
type RuledReadShape<Args extends z.ZodType> = ReadShape<Args> &
  Ruled & { readonly about: (args: z.output<Args>, region: string) => About };
type WriteShape<Args extends z.ZodType> = Shape<Args> &
  Ruled & {
    readonly target: (args: z.output<Args>) => Target;
    readonly propose: (args: z.output<Args>, context: VerbContext) => Promise<Change>;
  };
type BindShape<Args extends z.ZodType> = Shape<Args> &
  Ruled & { readonly binding: (args: z.output<Args>) => BindingWish };
type DecideShape<Args extends z.ZodType> = Shape<Args> & {
  readonly decision: (args: z.output<Args>, reason: string | undefined) => Decision;
};

/** A read of workloads, which a rule has to allow. */
export function readVerb<Args extends z.ZodType>(shape: RuledReadShape<Args>): ReadCommand {
  return {
    ...freeVerb(shape, readFields),
    about: (ask, settings) => shape.about(argsOf(shape, ask.args), ask.region ?? settings.region),
  };
}

/** A read for which nobody needs a rule. */
export function freeVerb<Args extends z.ZodType>(
  shape: ReadShape<Args> & Partial<Ruled>,
  fields: readonly CommonField[] = [shareField],
): ReadCommand {
  const { actions = [] } = shape;
  return {
    effect: "read",
    ...describe(shape, commonFlags, fields),
    actions,
    about: () => undefined,
    answer: async (ask, context) => shape.answer(argsOf(shape, ask.args), give(ask, context, actions)),
  };
}

export function writeVerb<Args extends z.ZodType>(shape: WriteShape<Args>): WriteCommand {
  return {
    effect: "write",
    ...describe(shape, writeFlags, writeFields),
    actions: shape.actions,
    target: (ask) => shape.target(argsOf(shape, ask.args)),
    propose: async (ask, context) => shape.propose(argsOf(shape, ask.args), give(ask, context, shape.actions)),
  };
}

/** A word about a Change that waits: it is about no workload, so it takes no region and has no answer to share. */
export function decideVerb<Args extends z.ZodType>(shape: DecideShape<Args>): DecideCommand {
  return {
    effect: "decide",
    ...describe(shape, {}, "reason" in shape.flags ? [rejectReasonField] : []),
    actions: [],
    decision: (ask) => shape.decision(argsOf(shape, ask.args), ask.reason),
  };
}

/** A word about the channel in which it stands. Its region is an argument: it is bound, and nothing is looked for in it. */
export function bindVerb<Args extends z.ZodType>(shape: BindShape<Args>): BindCommand {
  const described = describe(shape, {}, []);
  return {
    effect: "bind",
    ...described,
    actions: shape.actions,
    parse(words) {
      const { region: _region, ...ask } = described.parse(words);
      return ask;
    },
    binding: (ask) => shape.binding(argsOf(shape, ask.args)),
  };
}

function describe<Args extends z.ZodType>(shape: Shape<Args>, common: Flags, fields: readonly CommonField[]) {
  const flags = { ...shape.flags, ...common };
  const { name, summary, usage, example } = shape;
  return {
    name,
    summary,
    usage,
    example,
    options: optionsOf(flags),
    parse: (words: readonly string[]): Ask => withUsage(shape, () => toAsk(shape, readFlags(words, flags))),
    ...pointed(shape, flags, fields),
  };
}

/** The same Ask by pointing, and where words end and pointing begins. */
function pointed(shape: Shape<z.ZodType>, flags: Flags, common: readonly CommonField[]): Pointing | undefined {
  const { name: verb, args, form } = shape;
  if (form === undefined) return undefined;
  const { prefill } = form;
  const { form: made, unfinished } = pointing({ verb, args, form, common }, (words) => {
    const typed = readFlags(words, flags);
    refuseSpare(shape, typed);
    return { args: argsIn(shape, typed), common: commonTexts(typed) };
  });
  if (prefill === undefined) return { form: made, unfinished };
  // A form only reads, so rights to change the workload don't count here.
  const prefillWith: Form["prefill"] = async (values, region, context) =>
    prefill(values, give({ verb, ...(region !== undefined && { region }), share: false, args: {} }, context, []));
  return { form: { ...made, prefill: prefillWith }, unfinished };
}

/** Flags as help shows them. */
export function optionsOf(flags: Flags): Option[] {
  return Object.entries(flags).map(([flag, { value, summary }]) => ({
    flag: value === undefined ? `--${flag}` : `--${flag} ${value}`,
    summary,
  }));
}

/** The arguments are checked here, so that an Ask is right from the start, and again when a button brings one back. */
function toAsk<Args extends z.ZodType>(shape: Shape<Args>, typed: Typed): Ask {
  refuseSpare(shape, typed);
  const args = argsIn(shape, typed);
  const ask: Ask = { verb: shape.name, ...commonTyped(typed), args };
  argsOf(shape, ask.args);
  return ask;
}

function argsIn({ read }: Pick<Shape<z.ZodType>, "read">, typed: Typed): Ask["args"] {
  return Object.fromEntries(Object.entries(read(typed) ?? {}).filter(([, value]) => value !== undefined));
}

function argsOf<Args extends z.ZodType>({ args, usage, example }: Shape<Args>, context: unknown): z.output<Args> {
  const parsed = args.safeParse(context);
  if (parsed.success) return parsed.data;
  throw new UserError(parsed.error.issues[0]?.message ?? "The arguments are not as this verb takes them.", {
    usage,
    example,
  });
}

function give(ask: Ask, context: Context, actions: readonly Action[]): VerbContext {
  return { ...context, ask, actions, region: ask.region ?? context.settings.region };
}

function withUsage<Result>({ usage, example }: { usage: string; example: string }, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) throw new UserError(error.message, { next: error.next, usage, example });
    throw error;
  }
}

/** Refuses words that the verb has no use for, instead of ignoring them. */
function refuseSpare({ words, takesCommand }: Pick<Shape<z.ZodType>, "words" | "takesCommand">, typed: Typed): void {
  const extra = typed.positionals[words];
  if (extra !== undefined) {
    throw new UserError(`“${extra}” is one word too many.`, { next: "Put words that belong together in quotes." });
  }
  if (typed.rest !== undefined && takesCommand !== true) {
    throw new UserError("Only create takes a command after --.", { next: "Leave out -- and what follows it." });
  }
}
