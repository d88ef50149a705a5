import type { FormField } from "./form.ts";
import { maskedLine } from "./form-secret.ts";
import { labelled } from "./form-sentence.ts";

/**
 * The error of a field, for any verb, or undefined. Slack's own checks prevent these errors; requests that bypass
 * Slack's client must not get further. Pure.
 */
export function fieldError(field: FormField, text: string): string | undefined {
  const { input, isOptional } = field;
  if (text.trim() === "") {
    return isOptional === true || input.kind === "tick" ? undefined : `${labelled(field)} is required.`;
  }
  return maskError(field, text) ?? inputError(field, text);
}

function inputError(field: FormField, text: string): string | undefined {
  const { input } = field;
  switch (input.kind) {
    case "text":
    case "lines":
    case "command":
      return (
        lengthError(field, text, input.maxLength) ?? (input.kind === "text" ? lineBreakError(field, text) : undefined)
      );
    case "choice":
      return input.options.some(({ value }) => value === text.trim())
        ? undefined
        : `Choose ${labelled(field)} from the list.`;
    case "tick":
      return undefined;
    default:
      return lineBreakError(field, text);
  }
}

/** The mask of a hidden value, sent back as the value. */
function maskError({ isSecret }: FormField, text: string): string | undefined {
  const line = isSecret === true ? maskedLine(text) : undefined;
  if (line === undefined) return undefined;
  return `Type the value of ${line.split("=", 1)[0]} again. It isn't kept in forms.`;
}

function lengthError(field: FormField, text: string, maxLength: number): string | undefined {
  if (text.length <= maxLength) return undefined;
  return `${labelled(field)} has ${text.length} characters. The limit is ${maxLength}.`;
}

/** Except in the reason: `readReason` joins its lines. */
function lineBreakError(field: FormField, text: string): string | undefined {
  if (field.id === "reason" || !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text.trim())) return undefined;
  return `${labelled(field)} contains a line break or an invisible character. Type it again on one line.`;
}
