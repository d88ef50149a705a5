import { z } from "zod";
import type { Change } from "../changes/change.ts";
import { UserError } from "../errors.ts";
import type { Message } from "../views/message.ts";
import type { Ask } from "./ask.ts";
import type { Context, Option, ReadCommand, WriteCommand } from "./command.ts";
import { commonFlags, readFlags, type Flags, type Typed } from "./flags.ts";

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
};

/** What a verb works with besides its arguments: the context, and the Ask they came in (region, share). */
export type Given = Context & { readonly ask: Ask; readonly region: string };

type ReadShape<Args extends z.ZodType> = Shape<Args> & {
  readonly answer: (args: z.output<Args>, given: Given) => Promise<Message>;
};
type WriteShape<Args extends z.ZodType> = Shape<Args> & {
  readonly propose: (args: z.output<Args>, given: Given) => Promise<Change>;
};

export function readVerb<Args extends z.ZodType>(shape: ReadShape<Args>): ReadCommand {
  return {
    effect: "read",
    ...describe(shape),
    answer: async (ask, context) => shape.answer(argsOf(shape, ask.args), give(ask, context)),
  };
}

export function writeVerb<Args extends z.ZodType>(shape: WriteShape<Args>): WriteCommand {
  return {
    effect: "write",
    ...describe(shape),
    propose: async (ask, context) => shape.propose(argsOf(shape, ask.args), give(ask, context)),
  };
}

function describe<Args extends z.ZodType>(shape: Shape<Args>) {
  const flags = { ...shape.flags, ...commonFlags };
  const { name, summary, usage, example } = shape;
  return {
    name,
    summary,
    usage,
    example,
    options: Object.entries(flags).map(([flag, { value, summary: text }]: [string, Flags[string]]): Option => ({
      flag: value === undefined ? `--${flag}` : `--${flag} ${value}`,
      summary: text,
    })),
    parse: (words: readonly string[]): Ask => withUsage(shape, () => toAsk(shape, readFlags(words, flags))),
  };
}

/** The arguments are checked here, so that an Ask is right from the start, and again when a button brings one back. */
function toAsk<Args extends z.ZodType>(shape: Shape<Args>, typed: Typed): Ask {
  refuseSpare(shape, typed);
  const args = Object.entries(shape.read(typed) ?? {}).filter(([, value]) => value !== undefined);
  const region = typed.one("region");
  if (region === "") throw new UserError("--region needs a value.", { next: "Write --region R." });
  const ask: Ask = {
    verb: shape.name,
    ...(region !== undefined && { region }),
    share: typed.has("share"),
    args: Object.fromEntries(args),
  };
  argsOf(shape, ask.args);
  return ask;
}

function argsOf<Args extends z.ZodType>({ args, usage, example }: Shape<Args>, given: unknown): z.output<Args> {
  const parsed = args.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UserError(parsed.error.issues[0]?.message ?? "The arguments are not as this verb takes them.", {
    usage,
    example,
  });
}

function give(ask: Ask, context: Context): Given {
  return { ...context, ask, region: ask.region ?? context.settings.region };
}

function withUsage<Result>({ usage, example }: { usage: string; example: string }, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) throw new UserError(error.message, { next: error.next, usage, example });
    throw error;
  }
}

/**
 * A whole number of an argument, as digits or as a form's number; `name` says what it is called in the sentence.
 * Nothing else counts as a number: an empty word must not become 0 instances.
 */
export function wholeNumber(name: string, { from, to }: { readonly from: number; readonly to: number }) {
  const error = `${name} must be a whole number from ${from} to ${to}.`;
  const digits = z
    .string()
    .regex(/^\d{1,9}$/u)
    .transform(Number);
  return z.union([z.number(), digits], { error }).pipe(z.int({ error }).min(from, { error }).max(to, { error }));
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
