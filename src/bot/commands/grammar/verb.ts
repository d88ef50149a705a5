import type { z } from "zod";
import { unableTo } from "../lookup/authorize.ts";
import type { OperationId } from "../../../api/operations.ts";
import type { Change } from "../../changes/change.ts";
import { type UpdatableFieldName, updateOf } from "../../changes/updatable-fields.ts";
import { operationFacts, type WriteOperationId } from "../../policy/operation-facts.ts";
import { attempt, UserError } from "../../errors.ts";
import type { Message } from "../../views/kit/post.ts";
import type { Ask } from "../../ask.ts";
import type {
  About,
  Action,
  BindCommand,
  BindingWish,
  Context,
  DecideCommand,
  Decision,
  ReadCommand,
  Sent,
  StatusCommand,
  VerbContext,
  VerbForms,
  WatchCommand,
  WatchWish,
  WriteCommand,
  Form,
} from "../command.ts";
import {
  readFields,
  regionField,
  rejectReasonField,
  shareField,
  writeFields,
  type CommonField,
  type FormFacts,
  type FormValues,
} from "../forms/form.ts";
import { type FormShape, makeForm, unfinishedValues } from "../forms/make-form.ts";
import { readQuestion } from "../lookup/may-see.ts";
import { ofNamedKind } from "../lookup/named-workloads.ts";
import { checkArguments, type Grammar, readArguments, readAsk, usageOf } from "./arguments.ts";
import { commonFormValues, commonFlags, type Flags, optionsOf, readFlags, rejectFlags, writeFlags } from "./flags.ts";
import { askAbout, readSeveral, severalOf, type SeveralWords } from "./several.ts";
import { type Regions, Target } from "./argument-types.ts";

type Shape<Args extends z.ZodType> = Grammar<Args> &
  VerbForms & {
    readonly summary: string;
    readonly form?: FormShape & {
      /** Reads for the form, under policy like any other read. See `Form`. */
      readonly prefill?: (values: FormValues, context: VerbContext) => Promise<FormFacts>;
    };
  };

/** Asks for a member of a shape, except where the arguments hold the workload as `name`. */
type UnlessNamed<Args extends z.ZodType, Member> = z.output<Args> extends { readonly name: Target } ? unknown : Member;

type ReadShape<Args extends z.ZodType> = Shape<Args> & {
  readonly answer: (args: z.output<Args>, context: VerbContext) => Promise<Message>;
  readonly follow?: (args: z.output<Args>, context: VerbContext) => ReturnType<NonNullable<ReadCommand["follow"]>>;
  readonly unfollow?: (args: z.output<Args>) => Target | undefined;
} & Pick<ReadCommand, "onFailure">;
/** A read for which nobody needs a rule. */
type FreeRead = {
  readonly reads?: undefined;
  readonly about?: undefined;
  /** See `ReadCommand`. */
  readonly forEverybody?: true;
};
/** A read of workloads, which a rule has to allow. */
type RuledRead<Args extends z.ZodType> = {
  /** The operations it makes, of a service and of a job. Policy has to allow one before `answer` is called. */
  readonly reads: readonly OperationId[];
  readonly forEverybody?: undefined;
  readonly about?: (args: z.output<Args>, where: Regions) => About;
} & UnlessNamed<Args, { readonly about: unknown }>;
/** A verb that changes a service changes one field of it, or sends operations whose risk is always the same. */
type Sending =
  | { readonly updates: UpdatableFieldName; readonly sends?: undefined }
  | { readonly sends: readonly Exclude<WriteOperationId, "updateService">[]; readonly updates?: undefined };
type WriteShape<Args extends z.ZodType> = Shape<Args> &
  Sending & {
    readonly target?: (args: z.output<Args>) => Target;
    readonly propose: (args: z.output<Args>, context: VerbContext) => Promise<Change>;
    readonly settledArgs?: WriteCommand["settledArgs"];
    readonly undo?: WriteCommand["undo"];
    /** Its words may name several workloads; which ones they are, where other words follow the names. */
    readonly several?: true | SeveralWords;
    readonly extension?: WriteCommand["extension"] & string;
    readonly checkAsk?: (args: z.output<Args>, context: VerbContext) => Promise<void>;
  } & UnlessNamed<Args, { readonly target: unknown }>;
type WatchShape<Args extends z.ZodType> = Shape<Args> & {
  readonly wish: (args: z.output<Args>) => WatchWish;
};
type DecideShape<Args extends z.ZodType> = Shape<Args> & {
  readonly takesReason?: true;
  readonly decision: (args: z.output<Args>, reason: string | undefined) => Decision;
};

/** A verb that only reads. */
export function readVerb<Args extends z.ZodType>(shape: ReadShape<Args> & (FreeRead | RuledRead<Args>)): ReadCommand {
  const { reads, follow, unfollow, about = (args, where) => readQuestion(actions, namedIn(args), where) } = shape;
  const actions = (reads ?? []).map((op) => ({ op, risk: undefined }));
  const asked = async (ask: Ask, context: Context) => {
    const verbContext = contextOf(ask, context, actions);
    return [await ofItsKind(checkArguments(shape, ask.args), verbContext), verbContext] as const; // the parameters of `answer`
  };
  return {
    effect: "read",
    ...describe({ ...shape, isRead: true }, commonFlags, reads === undefined ? [shareField] : readFields),
    ...(shape.forEverybody === true && { forEverybody: true }),
    ...(shape.onFailure !== undefined && { onFailure: shape.onFailure }),
    ...(follow !== undefined && {
      follow: async (ask: Ask, context: Context) => follow(...(await asked(ask, context))),
    }),
    ...(unfollow !== undefined && {
      unfollow: async (ask: Ask, context: Context) => ({ of: unfollow((await asked(ask, context))[0]) }),
    }),
    actions,
    about(ask, { region, jobsRegion }) {
      if (reads === undefined) return undefined;
      return about(checkArguments(shape, ask.args), { region: ask.region ?? region, jobsRegion });
    },
    answer: async (ask, context) => shape.answer(...(await asked(ask, context))),
  };
}

/** A verb that changes a workload. */
export function writeVerb<Args extends z.ZodType>(shape: WriteShape<Args>): WriteCommand {
  const { target = namedIn, propose, settledArgs, undo, several, checkAsk } = shape;
  const { actions, sends } = sendingOf(shape);
  const able = { effect: "write", ...(shape.extension !== undefined && { extension: shape.extension }) } as const; // a literal effect
  const described = describe(shape, writeFlags, writeFields, sends);
  const argsOf = (ask: Ask): z.output<Args> => {
    // A request for several workloads is made of proposals for one.
    if (severalOf(ask) === undefined) return checkArguments(shape, ask.args);
    throw new UserError("This takes one workload at a time.", { next: "Name one workload." });
  };
  return {
    ...described,
    ...(several !== undefined && {
      several: true,
      parse(words) {
        const flags = { ...shape.flags, ...writeFlags };
        const split = several === true ? undefined : several;
        return readSeveral(shape, words, { flags, split }) ?? described.parse(words);
      },
    }),
    ...able,
    actions,
    sends,
    target: (ask) => target(argsOf(ask)),
    async propose(ask, context) {
      const unable = await unableTo(able, context);
      if (unable !== undefined) throw unable;
      const verbContext = contextOf(ask, context, actions, sends);
      return propose(await ofItsKind(argsOf(ask), verbContext), verbContext);
    },
    ...(checkAsk !== undefined && {
      async checkAsk(ask, context) {
        // What is the same for all of them is looked up once.
        const [first] = severalOf(ask) ?? [];
        const one = first === undefined ? ask : askAbout(ask, first.isPattern ? "web" : first.typed);
        await checkAsk(argsOf(one), contextOf(one, context, actions, sends));
      },
    }),
    ...(settledArgs !== undefined && { settledArgs }),
    ...(undo !== undefined && { undo }),
  };
}

function sendingOf({ updates, sends = [] }: Sending): Pick<WriteCommand, "actions" | "sends"> {
  if (updates === undefined) {
    return {
      actions: sends.map((op) => ({ op, risk: operationFacts[op].risk })),
      sends: sends.map((operation) => ({ operation })),
    };
  }
  const { part, risks, action } = updateOf(updates);
  return {
    actions: risks.map((risk) => ({ op: action, risk })),
    sends: [{ operation: "updateService", part }],
  };
}

/** A verb about a waiting change. It has no region, and no answer to share. */
export function decideVerb<Args extends z.ZodType>(shape: DecideShape<Args>): DecideCommand {
  const { takesReason = false } = shape;
  return {
    effect: "decide",
    ...describe(shape, takesReason ? rejectFlags : {}, takesReason ? [rejectReasonField] : []),
    actions: [],
    decision: (ask) => shape.decision(checkArguments(shape, ask.args), ask.reason),
  };
}

/** The verb about the channel it is typed in. Its region is an argument, because nothing is looked up in it. */
export function bindVerb<Args extends z.ZodType>(
  shape: Shape<Args> & Pick<BindCommand, "actions"> & { readonly binding: (args: z.output<Args>) => BindingWish },
): BindCommand {
  const described = describe(shape, {}, []);
  return {
    effect: "bind",
    ...described,
    actions: shape.actions,
    parse(words) {
      const { region: _region, ...ask } = described.parse(words);
      return ask;
    },
    binding: (ask) => shape.binding(checkArguments(shape, ask.args)),
  };
}

/** A verb about what Gantry tells. It answers where it tells, so there is nothing to share. */
export function watchVerb<Args extends z.ZodType>(shape: WatchShape<Args>): WatchCommand {
  return {
    effect: "watch",
    ...describe(shape, { region: commonFlags.region }, [regionField]),
    actions: [{ op: "watch", risk: undefined }],
    wish: (ask) => shape.wish(checkArguments(shape, ask.args)),
  };
}

/** The verb about Gantry itself. */
export function statusVerb(shape: Shape<z.ZodType>): StatusCommand {
  return { effect: "status", ...describe(shape, { share: commonFlags.share }, [shareField]), actions: [] };
}

function describe(shape: Shape<z.ZodType>, common: Flags, fields: readonly CommonField[], sends: readonly Sent[] = []) {
  const { args: _args, words: _words, read: _read, form: _form, flags: own, ...known } = shape;
  const flags = { ...own, ...common };
  return {
    ...known,
    usage: usageOf(shape),
    options: optionsOf(flags),
    parse: (words: readonly string[]): Ask => readAsk(shape, words, flags),
    ...formOf(shape, flags, fields, sends),
  };
}

/** The verb's form, and the way from words that lack something into it. */
function formOf(shape: Shape<z.ZodType>, flags: Flags, common: readonly CommonField[], sends: readonly Sent[]) {
  const { name: verb, args, form } = shape;
  if (form === undefined) return undefined;
  const { prefill } = form;
  const source = { verb, args, form, common };
  const prefillWith: Form["prefill"] =
    prefill &&
    (async (values, region, context) => {
      const ask: Ask = { verb, ...(region !== undefined && { region }), share: false, args: {} };
      // A form only reads, so rights to change the workload don't count here.
      const verbContext = contextOf(ask, context, [], sends);
      const target = Target.safeParse(values["name"]).data;
      if (target?.object === undefined) return prefill(values, verbContext);
      const { kind, name } = await ofNamedKind(target, verbContext);
      return prefill({ ...values, name: `${kind}/${name}` }, verbContext);
    });
  return {
    form: { ...makeForm(source), ...(prefillWith !== undefined && { prefill: prefillWith }) },
    unfinished(words: readonly string[]): FormValues | undefined {
      const values = attempt(() => {
        const typed = readFlags(words, flags);
        return unfinishedValues(source, { args: readArguments(shape, typed), common: commonFormValues(typed) });
      });
      // `parse` answers wrong words.
      return values instanceof UserError ? undefined : values;
    },
  };
}

/** The arguments with the workload that a kind of Kubernetes and a name mean: no verb has to know these kinds. */
async function ofItsKind<Args>(args: Args, context: VerbContext): Promise<Args> {
  const { name } = args as { readonly name?: Partial<Target> | string }; // most verbs have a name, and check it by `Target`
  if (typeof name !== "object" || name.name === undefined || name.object === undefined) return args;
  return { ...args, name: await ofNamedKind({ kind: name.kind, name: name.name, object: name.object }, context) };
}

function namedIn(args: unknown): Target {
  return (args as { readonly name: Target }).name; // the shape asks for `about` or `target` where there is no such name
}

function contextOf(ask: Ask, context: Context, actions: readonly Action[], sends: readonly Sent[] = []): VerbContext {
  return { ...context, ask, actions, sends, region: ask.region ?? context.settings.region };
}
