import { redact } from "../../logs/redact.ts";

/** Stands for a value that Slack holds already: a form that is drawn again does not send it there once more. */
const MASK = "••••••";

/** Lines `NAME=value` with every value masked. Pure. */
export function maskValues(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^([^=]*)=.*\S.*$/su, `$1=${MASK}`))
    .join("\n");
}

/** The first line whose value is the mask itself, as it came back to be sent; undefined when there is none. Pure. */
export function maskedLine(text: string): string | undefined {
  return text.split("\n").find((line) => line.includes(MASK));
}

/** Whether something in a text looks like a secret, by its name or its shape. Pure. */
export function looksSecret(text: string): boolean {
  return redact(text) !== text;
}
