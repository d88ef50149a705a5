import type { Problem } from "../../api/problem.ts";
import { context, section, fields, actions } from "../kit/blocks.ts";
import { sentence, code } from "../kit/inline.ts";
import type { Message } from "../kit/message.ts";
import { post } from "../kit/post.ts";
import type { UserError } from "../../errors.ts";
import { suggestionButtons } from "./suggestion-buttons.ts";
import { openButton, type FormOpening } from "../forms/open-button.ts";

/** The service refused or failed: what happened, what to do, and the reference in the log. */
export function problemMessage(
  problem: Pick<Problem, "sentence" | "next" | "status">,
  { reference }: { readonly reference: string },
): Message {
  const status = problem.status === undefined ? "" : `The service answered ${problem.status}. `;
  return post(`${problem.sentence} ${problem.next}`, [
    section([{ type: "text", text: "⚠️ " }, ...sentence(problem.sentence)], problem.next),
    context(`${status}Reference ${reference}`),
  ]);
}

/** A mistake that the person can fix: the problem, the next step, and the usage. */
export function userErrorMessage({ message, next, usage, example, suggestions }: Mistake, command: string): Message {
  const written = usage === undefined ? [] : [`Usage: ${command} ${usage}`];
  return post([message, ...(next === undefined ? [] : [next]), ...written].join("\n"), [
    section(message, ...(next === undefined ? [] : [next])),
    ...fields([
      { label: "Usage", value: usage === undefined ? [] : [code(`${command} ${usage}`, 500)] },
      { label: "Example", value: example === undefined ? [] : [code(`${command} ${example}`, 500)] },
    ]),
    ...suggestionButtons(suggestions, command),
  ]);
}

type Mistake = Pick<UserError, "message" | "next" | "usage" | "example" | "suggestions">;

/** A mention has no trigger_id, so the form can only be opened with a button. */
export function usageWithForm(mistake: Mistake, opening: FormOpening, command: string): Message {
  const { suggestions } = mistake;
  if (suggestions.length === 0) {
    const { text, blocks } = userErrorMessage(mistake, command);
    return { text, blocks: [...blocks, ...actions(openButton("Open form", opening, "primary"))] };
  }
  const { text, blocks } = userErrorMessage(
    { ...mistake, usage: undefined, example: undefined, suggestions: [] },
    command,
  );
  return { text, blocks: [...blocks, ...suggestionButtons(suggestions, command, openButton("Other…", opening))] };
}

/** A bug in Gantry. The reference is also in the log, next to the stack. */
export function bugMessage(reference: string): Message {
  const what = "Something broke in Gantry; it is no mistake of yours.";
  const next = `If you asked for a change, look whether it took effect before you ask again. Tell who runs Gantry here the reference \`${reference}\`: the log says more under it.`;
  return post(`${what} ${next.replaceAll("`", "")}`, [section(what, next)]);
}
