import { z } from "zod";
import { Problem } from "../../api/problem.ts";
import { UserError } from "../../errors.ts";
import { context as note } from "../../views/kit/blocks.ts";
import type { Block, Message, Post } from "../../views/kit/message.ts";
import { plainTextOf, post } from "../../views/kit/post.ts";
import type { Ask } from "../ask.ts";
import type { ReadCommand } from "../command.ts";
import { workloadField } from "../forms/fields.ts";
import { Target } from "../grammar/target.ts";
import { readVerb, type VerbContext } from "../grammar/verb.ts";
import { refusedRead } from "../lookup/authorize.ts";

/** Words with which programs report a failure. */
const FAILURES = String.raw`error|exception|fatal|panic|fail|crash|killed|exit code|exited with|traceback|refused|denied|timed? ?out`;
const READ = "200";
const NEWEST = "10";

type Verbs = { readonly show: ReadCommand; readonly logs: ReadCommand };

/** One answer to "why is web failing?": its card, and the last lines of its log that report a failure. */
export function whyCommand({ show, logs }: Verbs): ReadCommand {
  return readVerb({
    name: "why",
    summary: "Show why a workload fails: its status and last error lines",
    example: "why flaky",
    words: { name: "NAME" },
    args: z.object({ name: Target }),
    reads: ["getService", "getJob"],
    form: { title: "Why does it fail?", submit: "Show", fields: () => [workloadField] },
    async answer(_args, context) {
      const { ask } = context;
      const card = await show.answer({ ...ask, verb: show.name }, context);
      return withLines(card, await lastErrors(logs, ask, context));
    },
  });
}

/** The lines that report a failure, else the newest ones. Without rights to the log, the card is the answer. */
async function lastErrors(logs: ReadCommand, ask: Ask, context: VerbContext): Promise<readonly Block[]> {
  const named = { ...ask, verb: logs.name };
  const { name } = ask.args;
  if ((await refusedRead(logs, { ...named, args: { name } }, context)) !== undefined) return [];
  try {
    const args = { name, size: READ, grep: FAILURES, private: true };
    const failures = linesOf(await logs.answer({ ...named, args }, context));
    if (failures.length > 0) return [note("Last error lines"), ...failures];
    const newest = linesOf(await logs.answer({ ...named, args: { name, size: NEWEST, private: true } }, context));
    return newest.length === 0
      ? [note("The log has no lines today.")]
      : [note("Newest lines: none reports an error"), ...newest];
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof Problem)) throw error;
    return [note("Couldn't read the log.")];
  }
}

function linesOf({ blocks }: Post): readonly Block[] {
  return blocks.filter(
    (block) => block.type === "rich_text" && block.elements.some(({ type }) => type === "rich_text_preformatted"),
  );
}

/** Below the facts and above the buttons, which stay at the end. */
function withLines(card: Message, lines: readonly Block[]): Message {
  const at = card.blocks.findIndex(({ type }) => type === "actions");
  const end = at < 0 ? card.blocks.length : at;
  const blocks = [...card.blocks.slice(0, end), ...lines, ...card.blocks.slice(end)];
  return { ...post("", blocks), text: post(`${card.text}\n${plainTextOf(lines)}`, []).text };
}
