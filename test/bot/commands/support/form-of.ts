import { commands } from "../../../../src/bot/commands/verbs.ts";
import type { FilledForm, FormValues } from "../../../../src/bot/commands/forms/form.ts";
import type { Form } from "../../../../src/bot/commands/command.ts";
import { findCommand } from "../../../../src/bot/commands/grammar/find-command.ts";
import type { Line } from "../../../../src/bot/views/kit/blocks.ts";
import { scripted, type Script } from "./script.ts";

/** The form of a verb that has one. */
export function formOf(verb: string): Form {
  const { form } = findCommand(commands, verb);
  if (form === undefined) throw new Error(`${verb} has no form`);
  return form;
}

export function filledIn(verb: string, values: FormValues): FilledForm {
  const { fill } = formOf(verb);
  return fill(values);
}

export function errorsOf(verb: string, values: FormValues): Readonly<Record<string, string>> {
  const filled = filledIn(verb, values);
  return filled.kind === "errors" ? filled.errors : {};
}

/** What a form says of the workload in it, what was called for that, and what policy was asked about. */
export async function prefilled(verb: string, values: FormValues, script: Script = {}) {
  const { context, calls, asked } = scripted(script);
  const facts = await formOf(verb).prefill?.(values, undefined, context);
  return {
    notes: facts?.notes.map(lineText),
    values: facts?.values,
    calls,
    asked: asked.map(({ op }) => op),
  };
}

/** A line as people read it. */
function lineText(line: Line): string {
  if (typeof line === "string") return line;
  return line.map((piece) => ("text" in piece ? piece.text : "")).join("");
}
