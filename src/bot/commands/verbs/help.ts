import { z } from "zod";
import type { Ask } from "../../ask.ts";
import { type Command, helpGroups, type ReadCommand, type VerbContext } from "../command.ts";
import { findCommand } from "../grammar/find-command.ts";
import { unableTo } from "../lookup/authorize.ts";
import { readVerb } from "../grammar/verb.ts";
import { besideButton, openButton } from "../../views/kit/ask-buttons.ts";
import {
  actions,
  context,
  section,
  askButton,
  bullets,
  header,
  type Line,
  type Block,
} from "../../views/kit/blocks.ts";
import { strong, code, sentence, words } from "../../views/kit/inline.ts";
import { type Message, post } from "../../views/kit/post.ts";
import type { Outcome } from "../../policy/evaluate.ts";
import type { Risk } from "../../policy/operation-facts.ts";

/** The Ask of the slash command without any words. */
export const menuAsk: Ask = { verb: "help", share: false, args: { view: "menu" } };

/** Takes a function because the list of verbs holds this verb. */
export function helpCommand(all: () => readonly Command[]): ReadCommand {
  return readVerb({
    name: "help",
    helpGroup: "Set up",
    summary: "Show the commands you can use here",
    usage: "help [COMMAND | all]",
    example: "help create",
    aliases: ["-h", "--help", "?", "man", "commands"],
    near: ["usage", "menu", "manual", "docs"],
    phrases: [
      ["what commands [is] [you] [know]|show commands|show all commands", "help all"],
      ["how [is|can] use [you|it]|[need] help", "help"],
      ["[explain] how [is] approval work", "help approve"],
      ["how [is|can] VERB …|what is VERB|why VERB", "help VERB"],
      ["how [is|can] (add|delete) domains …", "help domains"],
    ],
    words: { verb: "[COMMAND]" },
    args: z.object({ verb: z.string().optional(), view: z.literal("menu").optional() }),
    forEverybody: true,
    async answer({ verb, view }, context) {
      const { permissions } = context;
      const { command } = context.settings;
      if (view === "menu") return shortMenu(command);
      const isAll = verb?.toLowerCase() === "all";
      if (verb !== undefined && !isAll) return oneVerb(findCommand(all(), verb), command, context);
      const commands = await Promise.all(
        all().map(async (each) => ({
          ...each,
          group: groupOf(each),
          outlook: each.actions.length === 0 ? ("allow" as const) : await permissions.outlook(each.actions),
        })),
      );
      return isAll ? helpAll({ commands, command }) : helpStart({ commands, command });
    },
  });
}

function groupOf({ effect, helpGroup }: Command): (typeof helpGroups)[number] {
  const usual = {
    read: "Look",
    write: "Change",
    decide: "Approve",
    link: "Set up",
    bind: "Set up",
    watch: "Watch",
    status: "Set up",
  } as const; // literal titles
  return helpGroup ?? usual[effect];
}

async function oneVerb(verb: Command, command: string, context: Pick<VerbContext, "engine" | "permissions">) {
  const outlooks = await Promise.all(
    verb.actions.map(async (action) => ({ ...action, outlook: await context.permissions.outlook([action]) })),
  );
  const hasForm = verb.form !== undefined && (await unableTo(verb, context)) === undefined;
  return helpVerb({
    verb: { ...verb, hasForm, aliases: verb.aliases ?? [] },
    command,
    outlooks,
  });
}

const question = "What would you like to do?";

/** The answer to the command alone, and to a greeting. `command` is the slash command. */
function shortMenu(command: string): Message {
  const typed = `${command} restart web · ${command} logs web --grep error · ${command} help`;
  return post(`${question} Or type: ${typed}`, [
    section([strong(question)]),
    ...actions(
      besideButton("List workloads", { verb: "list", share: false, args: {} }),
      openButton("Show logs", { verb: "logs", values: {} }),
      openButton("Create", { verb: "create", values: {} }),
      besideButton("What needs my approval?", { verb: "pending", share: false, args: {} }),
    ),
    context(`Or type: ${typed}`),
  ]);
}

type Verb = Pick<Command, "name" | "summary" | "usage" | "example" | "options">;

/** The best verdict on the verb for the person who asks, here. */
type Listed = Verb &
  Pick<Command, "isMostUsed"> & { readonly outlook: Outcome; readonly group: (typeof helpGroups)[number] };

type HelpList = { readonly commands: readonly Listed[]; readonly command: string };

const everything: Ask = { verb: "help", share: false, args: { verb: "all" } };

/** The commands that people use most, with a button for the rest. */
export function helpStart({ commands, command }: HelpList): Message {
  const open = allowed(commands);
  const first = open.filter(({ isMostUsed }) => isMostUsed);
  if (first.length === 0) return helpAll({ commands, command });
  return post([...spoken(first, command), `All commands: ${command} help all`].join("\n"), [
    ...grouped(first, command),
    ...actions(askButton("All commands", everything)),
    context(hint(command)),
  ]);
}

/** Every verb this person can use here. Says how many are left out because policy refuses them for every workload. */
export function helpAll({ commands, command }: HelpList): Message {
  const open = allowed(commands);
  const left = leftOut(commands.length - open.length, command);
  return post([...spoken(open, command), ...left.map((line) => line.replaceAll("`", ""))].join("\n"), [
    ...grouped(open, command),
    ...left.map((line) => section(line)),
    context(hint(command)),
  ]);
}

function allowed(commands: readonly Listed[]): readonly Listed[] {
  return commands.filter(({ outlook }) => outlook !== "refuse");
}

function hint(command: string): string {
  return `Leave something out and a form opens · More about one command: ${command} help restart`;
}

function spoken(commands: readonly Listed[], command: string): string[] {
  return commands.map(({ name, summary, outlook }) => `${command} ${name}: ${summary}${marks[outlook]}`);
}

const marks: Readonly<Record<Outcome, string>> = {
  allow: "",
  approve: " (needs approval)",
  "approve-with-reason": " (needs approval and a reason)",
  refuse: "",
};

function grouped(commands: readonly Listed[], command: string): Block[] {
  return helpGroups.flatMap((group) => {
    const lines = commands
      .filter((each) => each.group === group)
      .map(({ usage, summary, outlook }) => [
        // "logs NAME [--date D]" → "logs NAME": `help logs` shows the flags.
        code(`${command} ${usage.replace(/ \[?--.*$/su, "")}`, 200),
        words(`  ${summary}${marks[outlook]}`),
      ]);
    return lines.length === 0 ? [] : [section([strong(group)]), ...bullets(lines)];
  });
}

function leftOut(count: number, command: string): string[] {
  if (count === 0) return [];
  const what = count === 1 ? "1 command isn't allowed for you here" : `${count} commands aren't allowed for you here`;
  return [`${what}. To see why: \`${command} can-i COMMAND\``];
}

type HelpVerb = {
  readonly verb: Verb & {
    readonly hasForm: boolean;
    /** Other words for the verb. */
    readonly aliases: readonly string[];
  };
  readonly command: string;
  /** For each action of the verb; empty for verbs that need no rule. */
  readonly outlooks: readonly { readonly risk: Risk | undefined; readonly outlook: Outcome }[];
};

export function helpVerb({ verb, command, outlooks }: HelpVerb): Message {
  const { name, summary, usage, example, options, aliases, hasForm } = verb;
  const also = aliases.length === 0 ? [] : [`Also: ${aliases.map((alias) => `\`${alias}\``).join(", ")}`];
  const more = [...also, ...hereLine(outlooks, `${command} can-i ${name}`)];
  const about: Line[] = [
    [strong("Usage"), words("  "), code(`${command} ${usage}`, 500)],
    [strong("Example"), words("  "), code(`${command} ${example}`, 500)],
    ...more,
  ];
  const text = [`${command} ${usage}: ${summary}. Example: ${command} ${example}`, ...more].join("\n");
  const flags = options.map(({ flag, summary: what }) => [code(flag, 80), words("  "), ...sentence(what)]);
  const isOpen = outlooks.length === 0 || outlooks.some(({ outlook }) => outlook !== "refuse");
  return post(text.replaceAll("`", ""), [
    header(`${command} ${name}`),
    section([words(summary, 500)], ...about),
    ...bullets(flags),
    ...(hasForm && isOpen ? actions(openButton("Open form", { verb: name, values: {} })) : []),
  ]);
}

const here: Readonly<Record<Outcome, string>> = {
  allow: "allowed",
  approve: "with approval",
  "approve-with-reason": "with approval and a reason",
  refuse: "not allowed",
};

/** The outlook for this person here, as a sentence. */
function hereLine(outlooks: HelpVerb["outlooks"], canI: string): string[] {
  const ask = `To see which policy rule decides: \`${canI}\``;
  const [only, ...others] = new Set(outlooks.map(({ outlook }) => outlook));
  if (only === undefined) return [];
  if (others.length === 0) {
    const line = {
      allow: "You can use it here",
      approve: "You can use it here with approval",
      "approve-with-reason": "You can use it here with approval and a reason",
      refuse: "You can't use it here",
    };
    return [`${line[only]}. ${ask}`];
  }
  const parts = [...Map.groupBy(outlooks, ({ outlook }) => outlook)].map(([outlook, group]) => {
    const risks = new Set(group.map(({ risk }) => risk ?? "read"));
    return `${[...risks].join(" and ")} ${here[outlook]}`;
  });
  return [`For you here: ${parts.join(", ")}. ${ask}`];
}
