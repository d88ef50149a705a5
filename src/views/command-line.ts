import { redactLines } from "../logs/redact.ts";

type Env = readonly { readonly value?: string | undefined }[];

/**
 * A container's command as a line to read: words in quotes where they need them, without what looks like a secret, and
 * without the values of its environment.
 */
export function commandLine(command: readonly string[], env: Env = []): string {
  const values = env.map(({ value = "" }) => value);
  return redactLines([command.map(quoted).join(" ")], values).join(" ");
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/u.test(word) ? word : JSON.stringify(word);
}
