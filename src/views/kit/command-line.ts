import { redactLines } from "../../logs/redact.ts";

type Env = readonly { readonly value?: string | undefined }[];

/**
 * Formats a container's command as one line: quoted where needed, with likely secrets and environment values redacted.
 */
export function commandLine(command: readonly string[], env: Env = []): string {
  const values = env.map(({ value = "" }) => value);
  return redactLines([command.map(quoted).join(" ")], values).join(" ");
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/u.test(word) ? word : JSON.stringify(word);
}
