import { REDACTED } from "./redacted.ts";

/** Maximum number of values: each costs time at every character of every line. */
const MOST = 200;
const LONGEST = 4_096;
const SHORTEST = 6;
/** A shorter line of a multi-line value is too common to redact. */
const SHORTEST_LINE = 12;
/** Common values: redacting them would make a log unreadable. */
const ordinary =
  /^(?:enabled|disabled|default|production|development|staging|testing|release|localhost|\[?redacted\]?|verbose|warning|stdout|stderr|utf-?8|[a-z]{2}_[a-z]{2}\.utf-?8|[+-]?\d{1,5}(?:\.\d+)?(?:ms|s|m|h|[kmgt]i?b?)?)$/iu;
/** Patterns use these keywords to find secrets; removing them would expose the value next to them. */
const sensitive =
  /pass|pwd|secret|token|credential|key|session|signature|auth|cookie|bearer|basic|begin|end|private|redacted/iu;

export type ValueRedactor = {
  /** Redacts values that no pattern depends on. */
  readonly before: (line: string) => string;
  /** Redacts all values. */
  readonly after: (line: string) => string;
};

/** Redacts values known to be secret, also in their JSON and URL encodings, and passwords inside URLs. */
export function valueRedactor(secrets: readonly string[]): ValueRedactor {
  const forms = [...new Set(secrets.flatMap(formsOf))].toSorted((a, b) => b.length - a.length).slice(0, MOST);
  return { before: replacing(forms.filter((form) => !sensitive.test(form))), after: replacing(forms) };
}

/** Whether a value is long and unusual enough to be a secret. */
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
