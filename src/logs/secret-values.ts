import { REDACTED } from "./redacted.ts";

/** More are not looked for: each costs time at every character of every line. */
const MOST = 200;
const LONGEST = 4_096;
const SHORTEST = 6;
/** Of a value with several lines, a shorter line says too little. */
const SHORTEST_LINE = 12;
/** Values of which lines are made, so that a log would be unreadable without them. */
const ordinary =
  /^(?:enabled|disabled|default|production|development|staging|testing|release|localhost|\[?redacted\]?|verbose|warning|stdout|stderr|utf-?8|[a-z]{2}_[a-z]{2}\.utf-?8|[+-]?\d{1,5}(?:\.\d+)?(?:ms|s|m|h|[kmgt]i?b?)?)$/iu;
/** Lines are redacted by words like these; without them, what stands beside them would be shown. */
const telling =
  /pass|pwd|secret|token|credential|key|session|signature|auth|cookie|bearer|basic|begin|end|private|redacted/iu;

export type ValueRedactor = {
  /** Takes out values that nothing else is recognised by. */
  readonly before: (line: string) => string;
  /** Takes out all values. */
  readonly after: (line: string) => string;
};

/** Replaces values that are known to be secret, also as they stand in JSON, in an address, or in a password of one. */
export function valueRedactor(secrets: readonly string[]): ValueRedactor {
  const forms = [...new Set(secrets.flatMap(formsOf))].toSorted((a, b) => b.length - a.length).slice(0, MOST);
  return { before: replacing(forms.filter((form) => !telling.test(form))), after: replacing(forms) };
}

/** Whether a value is long and rare enough to be taken for a secret. */
export function isSecretValue(value: string): boolean {
  const text = value.trim();
  return text.length >= SHORTEST && !ordinary.test(text);
}

function formsOf(secret: string): string[] {
  const text = secret.trim().slice(0, LONGEST);
  const lines = text.split("\n").map((line) => line.trim());
  const parts = lines.length === 1 ? lines : lines.filter((line) => line.length >= SHORTEST_LINE);
  return [...parts, ...passwordIn(text)]
    .filter(isSecretValue)
    .flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part.toWellFormed())]);
}

function passwordIn(text: string): string[] {
  if (!text.includes("://") || !URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

function replacing(forms: readonly string[]): (line: string) => string {
  if (forms.length === 0) return (line) => line;
  const any = new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")).join("|"), "gu");
  return (line) => line.replaceAll(any, REDACTED);
}
