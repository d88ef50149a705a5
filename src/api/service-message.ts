import { inPlainWords } from "./field-words.ts";
import type { Call } from "./operations.ts";
import type { ApiAccount } from "./request.ts";

const LONGEST = 200;
/** Of a refusal: a rule of a cluster says in its own words, at the end, what it wants. */
const LONGEST_REFUSAL = 1_000;

// Tags of error pages. Not every `<word>` is one: a message can contain "<nil>" or "<name>".
const html =
  /<(?:!doctype|\/?(?:html|head|body|title|meta|link|script|style|h[1-6]|p|div|span|center|hr|br|a|b|i|ul|ol|li|pre|code|table|tr|td|form|img|iframe))\b/iu;

export function isHtml(text: string): boolean {
  return html.test(text.slice(0, 5_000));
}

/**
 * Makes the service's text displayable: one line of at most `longest` characters, without control and direction characters,
 * HTML or echoed secrets. Undefined when nothing is left. The view escapes it.
 */
export function displayable(text: string, secrets: readonly Secret[], longest = LONGEST): string | undefined {
  if (isHtml(text)) return undefined;
  const cleaned = withoutSecrets(text, secrets)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/gu, "")
    .trim();
  // Again: a removed character may have split an echoed secret.
  const line = withoutSecrets(cleaned, secrets);
  if (line === "") return undefined;
  const characters = Array.from(line);
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}

function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  let clean = text;
  for (const { text: secret, shown } of secrets) if (secret !== "") clean = clean.replaceAll(secret, shown);
  return clean;
}

/** The error message in a body, in plain words: from JSON, or the text itself when it is short. */
export function errorSentence(body: string, secrets: readonly Secret[]): string | undefined {
  const value = jsonOf(body);
  const isShort = value === undefined && body.trim().length <= LONGEST;
  const found = isShort ? body : find(value, 0);
  const shown = found === undefined ? undefined : displayable(found, secrets, LONGEST_REFUSAL);
  return shown === undefined ? undefined : inPlainWords(shown);
}

/** Our own service says what a name is that no workload has: see `Error` in openapi.yaml. */
export function insteadIn(body: string, secrets: readonly Secret[]): string | undefined {
  const value = jsonOf(body);
  const said = typeof value === "object" && value !== null && "instead" in value ? value.instead : undefined;
  return typeof said === "string" ? displayable(said, secrets) : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The keys for messages in error bodies; `title` is the least specific
// (https://www.rfc-editor.org/rfc/rfc9457#section-3.1).
const keys = ["message", "msg", "detail", "error", "errors", "title"];
const DEEPEST = 3;

function find(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null || depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return firstOf(value.slice(0, 10), depth);
  const entries = Object.entries(value);
  const named = keys.flatMap((key) => entries.filter(([name]) => name === key).map(([, inner]) => inner));
  // Under `errors`, keys are fields and values are messages: {"errors": {"image": ["is required"]}}.
  return firstOf(depth === 0 || named.length > 0 ? named : entries.slice(0, 10).map(([, inner]) => inner), depth);
}

function firstOf(values: readonly unknown[], depth: number): string | undefined {
  for (const value of values) {
    const found = find(value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A text that must not be shown, and its placeholder. */
export type Secret = { readonly text: string; readonly shown: "[token]" | "[value]" };

/** Shorter values are words such as `true` and `80`, which also occur in harmless sentences. */
const SHORTEST = 5;

/**
 * Secrets that a refusal might repeat: the token and the values of environment variables in the call, also as JSON.
 * They must not be shown, stored or logged. Longest first, so that none is removed in part.
 */
export function secretValues({ body }: Call, { token }: ApiAccount): readonly Secret[] {
  const containers = body !== undefined && "containers" in body ? (body.containers ?? []) : [];
  const values = containers
    .flatMap((container) => ("env" in container ? (container.env ?? []) : []))
    .flatMap(({ value = "" }) => (value.length < SHORTEST ? [] : [value, inJson(value)]))
    .map((text): Secret => ({ text, shown: "[value]" }));
  const all: Secret[] = [{ text: token, shown: "[token]" }, ...values];
  return all.toSorted((a, b) => b.text.length - a.text.length);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
