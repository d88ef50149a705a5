import { refusesAccount, type Problem } from "../../../api/problem.ts";
import { context, section, fields, actions } from "../kit/blocks.ts";
import { sentence, code, words } from "../kit/inline.ts";
import { type Message, post } from "../kit/post.ts";
import type { UserError } from "../../errors.ts";
import { suggestionButtons, openButton, type FormOpening } from "../kit/ask-buttons.ts";
import { saidOnce } from "../kit/text.ts";
import { withCommand } from "./sentences.ts";

type ProblemContext = {
  readonly reference: string;
  /** Of the verb. A write that ends here was never stored, so nothing was changed. */
  readonly effect: "read" | "write";
};

const connectOwn: FormOpening = { verb: "connect", values: { whose: "mine" } };

/** The workload API refused or failed: what happened, whether anything changed, and what to do. */
export function problemMessage(
  problem: Pick<Problem, "sentence" | "next" | "status">,
  { reference, effect }: ProblemContext,
): Message {
  const { status } = problem;
  const [failed, next] = saidOnce([
    problem.sentence,
    effect === "write" ? `Nothing was changed. ${problem.next}` : problem.next,
  ]);
  return post(`${failed} ${next}`, [
    section([words("❌ "), ...sentence(failed)], next),
    ...(refusesAccount(problem) ? actions(openButton("Connect your account", connectOwn)) : []),
    context(`${status === undefined ? "" : `HTTP ${status} · `}Reference ${reference}`),
  ]);
}

/** A mistake that the person can fix: the problem, the next step, and the usage. */
export function userErrorMessage(mistake: Mistake, command: string): Message {
  const { usage, example, suggestions } = mistake;
  const [message, then] = saidOnce([withCommand(mistake.message, command), withCommand(mistake.next ?? "", command)]);
  const next = then === "" ? undefined : then;
  const written = usage === undefined ? [] : [`Usage: ${command} ${usage}`];
  return post([message, ...(next === undefined ? [] : [next]), ...written].join("\n").replaceAll("`", ""), [
    section(message, ...(next === undefined ? [] : [next])),
    ...fields([
      { label: "Usage", value: usage === undefined ? [] : [code(`${command} ${usage}`, 500)] },
      { label: "Example", value: example === undefined ? [] : [code(`${command} ${example}`, 500)] },
    ]),
    ...suggestionButtons(suggestions, command),
  ]);
}

type Mistake = Pick<UserError, "message" | "next" | "usage" | "example" | "suggestions">;

/** A mention has no trigger_id, so the form can only be opened with a button, beside those of the likeliest requests. */
export function mistakeWithForm(
  mistake: Pick<Mistake, "message" | "next" | "suggestions">,
  opening: FormOpening,
  command: string,
): Message {
  const { message, next, suggestions } = mistake;
  const { text, blocks } = userErrorMessage(
    { message, next, usage: undefined, example: undefined, suggestions: [] },
    command,
  );
  const form = suggestions.length === 0 ? openButton("Open form", opening, "primary") : openButton("Other…", opening);
  return { text, blocks: [...blocks, ...suggestionButtons(suggestions, command, form)] };
}

/** A bug in Gantry. The reference is also in the log, next to the stack. */
export function bugMessage(reference: string): Message {
  const what = "❌ Something went wrong in Gantry.";
  const next = "If you changed a workload, check it before you try again. To report this, contact your Gantry admin.";
  return post(`${what} ${next} Reference ${reference}`, [section(what, next, `Reference \`${reference}\``)]);
}
