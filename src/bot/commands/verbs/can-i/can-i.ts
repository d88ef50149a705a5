import { z } from "zod";
import { UserError } from "../../../errors.ts";
import { canI, type Evaluation } from "./view.ts";
import { limits } from "../../../views/kit/blocks.ts";
import type { Message } from "../../../views/kit/post.ts";
import { truncate } from "../../../views/kit/text.ts";
import type { Ask } from "../../../ask.ts";
import type { Command, Context, ReadCommand } from "../../command.ts";
import { shareField } from "../../forms/fields.ts";
import { commonFlags, optionsOf } from "../../grammar/flags.ts";
import { findCommand } from "../../grammar/find-command.ts";
import { evaluateBinding, evaluateRead, evaluateWatch, evaluateWrite, type Query } from "./evaluate.ts";
import { makeForm, type FormShape } from "../../forms/make-form.ts";

const described = {
  name: "can-i",
  helpGroup: "Set up",
  summary: "Check whether you can do something, and who can approve it",
  usage: "can-i COMMAND [ARGUMENTS…]",
  example: "can-i scale web 0",
  near: ["can", "may", "permissions", "allowed", "policy"],
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
      return answer({ command, words: others, breakGlass: own.includes("--break-glass") }, context);
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
        input: { kind: "command", maxLength: 3_000 },
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

async function answer(query: Query, context: Context): Promise<Message> {
  const { name, effect, example } = query.command;
  return canI({
    evaluation: await evaluate(query, context),
    verb: { name, effect, example },
    command: context.settings.command,
  });
}

async function evaluate(query: Query, context: Context): Promise<Evaluation> {
  const { command } = query;
  if (command.effect === "write") return evaluateWrite({ ...query, command }, context);
  if (command.effect === "read" && command.actions.length > 0) return evaluateRead({ ...query, command }, context);
  if (command.effect === "bind") return evaluateBinding({ ...query, command }, context);
  if (command.effect === "watch") return evaluateWatch({ ...query, command }, context);
  return { kind: "free" };
}
