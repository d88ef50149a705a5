import { redact } from "../../logs/redact.ts";

/** Replaces secret values when a form is drawn again. */
const MASK = "••••••";

/** Masks the values of lines `NAME=value`. Pure. */
export function maskValues(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^([^=]*)=.*\S.*$/su, `$1=${MASK}`))
    .join("\n");
}

/** The first line that contains the mask, or undefined. Pure. */
export function maskedLine(text: string): string | undefined {
  return text.split("\n").find((line) => line.includes(MASK));
}

/** True when a part of the text looks like a secret, by its name or its shape. Pure. */
export function looksSecret(text: string): boolean {
  return redact(text) !== text;
}
