import type { Risk } from "../../../policy/question.ts";
import { bullets, header, section, type Line } from "../../../views/kit/blocks.ts";
import { code, sentence, strong, words } from "../../../views/kit/inline.ts";
import type { Block, Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";

/** Usage and example are without the command's name. */
export type Verb = {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly example: string;
  readonly options: readonly { readonly flag: string; readonly summary: string }[];
  readonly aliases?: readonly string[];
};

/** The best verdict on the verb for the person who asks, here. */
export type Outlook = "allow" | "approve" | "refuse";

export type HelpList = {
  readonly commands: readonly (Verb & { readonly outlook: Outlook })[];
  readonly command: string;
};

/** The verbs this person may use here. Says how many are left out because policy refuses them for every workload. */
export function helpList({ commands, command }: HelpList): Message {
  const intro = "Run container workloads from Slack.";
  const open = commands.filter(({ outlook }) => outlook !== "refuse");
  const spoken = open.map(
    (verb) => `${command} ${verb.name}: ${verb.summary}${marked(verb) ? " (needs approval)" : ""}`,
  );
  const [first, ...rest] = open.map((verb) => [
    code(`${command} ${verb.usage}`, 200),
    words(`  ${verb.summary}`),
    ...(marked(verb) ? [words(" · "), strong("needs approval")] : []),
  ]);
  const left = leftOut(commands.length - open.length, command);
  return post([intro, ...spoken, ...left.map((line) => line.replaceAll("`", ""))].join("\n"), [
    section(intro),
    ...(first === undefined ? [] : [bullets([first, ...rest])]),
    section(
      `One verb with its flags and an example: \`${command} help VERB\``,
      "Leave words out and a form asks for them. By pointing: the Home tab of this app, and its shortcuts.",
      ...left,
    ),
  ]);
}

function marked({ outlook }: { readonly outlook: Outlook }): boolean {
  return outlook === "approve";
}

function leftOut(count: number, command: string): string[] {
  if (count === 0) return [];
  const what =
    count === 1
      ? "1 verb is left out, because you may not use it"
      : `${count} verbs are left out, because you may not use them`;
  return [`${what} here; \`${command} can-i VERB\` says why.`];
}

export type HelpVerb = {
  readonly verb: Verb;
  readonly command: string;
  /** For each action of the verb; empty for verbs that need no rule. */
  readonly outlooks: readonly { readonly risk: Risk | undefined; readonly outlook: Outlook }[];
};

export function helpVerb({ verb, command, outlooks }: HelpVerb): Message {
  const { name, summary, usage, example, options, aliases = [] } = verb;
  const here = hereLine(outlooks, `${command} can-i ${name}`);
  const spoken = here.map((line) => `\n${line.replaceAll("`", "")}`).join("");
  const about: Line[] = [
    [strong("Usage"), words("  "), code(`${command} ${usage}`, 500)],
    [strong("Example"), words("  "), code(`${command} ${example}`, 500)],
    ...(aliases.length === 0 ? [] : [`Also: ${aliases.map((alias) => `\`${alias}\``).join(", ")}`]),
    ...here,
  ];
  const also = aliases.length === 0 ? "" : `\nAlso: ${aliases.join(", ")}`;
  return post(`${command} ${usage}: ${summary}. Example: ${command} ${example}${also}${spoken}`, [
    header(`${command} ${name}`),
    section([words(summary, 500)], ...about),
    ...flags(options),
  ]);
}

const comesTo: Readonly<Record<Outlook, string>> = { allow: "at once", approve: "with approval", refuse: "not" };

/** The outlook for this person here, as a sentence. */
function hereLine(outlooks: HelpVerb["outlooks"], canI: string): string[] {
  if (outlooks.length === 0) return [];
  const kinds = new Set(outlooks.map(({ outlook }) => outlook));
  const ask = `\`${canI}\` says which rule decides.`;
  const [only] = kinds;
  if (kinds.size === 1 && only !== undefined) {
    const line = {
      allow: "You may use it here, at once",
      approve: "You may use it here, and it needs approval",
      refuse: "You may not use it here",
    };
    return [`${line[only]}; ${ask}`];
  }
  const parts = [...Map.groupBy(outlooks, ({ outlook }) => outlook)].map(([outlook, group]) => {
    const risks = new Set(group.map(({ risk }) => risk ?? "reading"));
    return `${[...risks].join(" and ")} ${comesTo[outlook]}`;
  });
  return [`For you here: ${parts.join(", ")}; ${ask}`];
}

function flags(options: Verb["options"]): Block[] {
  const [first, ...rest] = options.map(({ flag, summary }) => [code(flag, 80), words("  "), ...sentence(summary)]);
  return first === undefined ? [] : [bullets([first, ...rest])];
}
