import { bullets, header, section } from "./blocks.ts";
import { code, strong, words } from "./inline.ts";
import type { Block, Message } from "./message.ts";
import { post } from "./post.ts";

/** A verb as its own file describes it; usage and example stand without the command's name. */
export type Verb = {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly example: string;
  readonly options: readonly { readonly flag: string; readonly summary: string }[];
};

export function helpList({ commands, command }: { commands: readonly Verb[]; command: string }): Message {
  const intro = "Run container workloads from Slack.";
  const spoken = commands.map(({ name, summary }) => `${command} ${name}: ${summary}`);
  const [first, ...rest] = commands.map(({ usage, summary }) => [
    code(`${command} ${usage}`, 200),
    words(`  ${summary}`),
  ]);
  return post([intro, ...spoken].join("\n"), [
    section(intro),
    ...(first === undefined ? [] : [bullets([first, ...rest])]),
    section(`One verb with its flags and an example: \`${command} help VERB\``),
  ]);
}

export function helpVerb({ verb, command }: { verb: Verb; command: string }): Message {
  const { name, summary, usage, example, options } = verb;
  return post(`${command} ${usage}: ${summary}. Example: ${command} ${example}`, [
    header(`${command} ${name}`),
    section(
      [words(summary, 500)],
      [strong("Usage"), words("  "), code(`${command} ${usage}`, 500)],
      [strong("Example"), words("  "), code(`${command} ${example}`, 500)],
    ),
    ...flags(options),
  ]);
}

function flags(options: Verb["options"]): Block[] {
  const [first, ...rest] = options.map(({ flag, summary }) => [code(flag, 80), words(`  ${summary}`)]);
  return first === undefined ? [] : [bullets([first, ...rest])];
}
