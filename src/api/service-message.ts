import type { Call } from "./operations.ts";
import type { ApiAccount } from "./exchange.ts";
import type { EnvUpdate, NewEnvVar } from "./schema.ts";
import { jsonIn } from "../platform/optional.ts";

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
  if (characters.length <= longest) return line;
  // Not within a word: nobody would recognise half of a value, to redact it.
  return `${characters
    .slice(0, longest - 1)
    .join("")
    .replace(/[!-~]+$/u, "")
    .trimEnd()}…`;
}

function withoutSecrets(text: string, secrets: readonly Secret[]): string {
  let clean = text;
  for (const { text: secret, shown } of secrets) if (secret !== "") clean = clean.replaceAll(secret, shown);
  return clean;
}

/** The error message in a body, in plain words: from JSON, or the text itself when it is short. */
export function errorSentence(body: string, secrets: readonly Secret[]): string | undefined {
  const value = jsonIn(body);
  const isShort = value === undefined && body.trim().length <= LONGEST;
  const found = isShort ? body : find(value, 0);
  const shown = found === undefined ? undefined : displayable(found, secrets, LONGEST_REFUSAL);
  return shown === undefined ? undefined : inPlainWords(shown);
}

/** Our own service says what a name is that no workload has: see `Error` in openapi.yaml. */
export function insteadIn(body: string, secrets: readonly Secret[]): string | undefined {
  const value = jsonIn(body);
  const said = typeof value === "object" && value !== null && "instead" in value ? value.instead : undefined;
  return typeof said === "string" ? displayable(said, secrets) : undefined;
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
    .flatMap(({ env = [] }: { readonly env?: readonly NewEnvVar[] | EnvUpdate }) =>
      "length" in env ? env : (env.set ?? []),
    )
    .flatMap(({ value = "" }) => (value.length < SHORTEST ? [] : [value, JSON.stringify(value).slice(1, -1)]))
    .map((text): Secret => ({ text, shown: "[value]" }));
  const all: Secret[] = [{ text: token, shown: "[token]" }, ...values];
  return all.toSorted((a, b) => b.text.length - a.text.length);
}

/** Fields as people know them. */
const fields: Readonly<Record<string, string>> = {
  service_name: "the name",
  job_name: "the name",
  instance_name: "the instance",
  target_instance_size: "the number of instances",
  binding_domain_name: "the domain list",
  default_domain_name: "the default domain",
  port_mappings: "the list of ports",
  container_port: "the port",
  ports: "the list of ports",
  port: "the port",
  sync_timezone: "the time zone setting",
  pull_always: "the setting to always pull the image",
  is_read_only: "the read-only setting",
  readOnly: "the read-only setting",
  disk_name: "the disk",
  hostPath: "the path on the host",
  mountPath: "the mount path",
  volumeMounts: "the list of mounts",
  volumes: "the list of volumes",
  memory: "the memory limit",
  cpu: "the CPU limit",
  limits: "the limits",
  resources: "the limits",
  resource: "the limits",
  image: "the image",
  command: "the command",
  env: "the environment variables",
  containers: "the container",
};

/** `service_name`, `containers[0].image`, `/containers/0/image` */
const FIELD = /(?<![\w"'])\/?[A-Za-z]\w*(?:\[\d+\]|[./]\w+)*(?![\w"'])/gu;
/** Of a regular expression. */
const PATTERN = /\^\[|\^\(|\\[dwsS]|\[a-z|\[A-Z|\[0-9/u;

/**
 * An error message about fields in the words of the person who reads it: "service_name isn't valid: A lower-case letter …" is
 * "the name isn't valid". Undefined when nothing but technical terms is left. Pure.
 */
export function inPlainWords(message: string): string | undefined {
  let first: string | undefined;
  const worded = message.replaceAll(FIELD, (path) => {
    if (!isTechnical(path)) return path;
    const label = labelOf(path);
    first ??= label;
    return label ?? path;
  });
  if (first === undefined) return PATTERN.test(message) || /\[\d+\]/u.test(message) ? undefined : message;
  const [valid] = /^.*? isn't valid(?=: )/su.exec(worded) ?? [];
  if (valid !== undefined) return valid;
  return PATTERN.test(worded) ? `${first} isn't valid` : worded;
}

/** Other words are words of a sentence, such as "image", or a person's own, such as `my_service`. */
function isTechnical(path: string): boolean {
  return /\[\d+\]|^\/|[a-z]\/\d/u.test(path) || /[a-z]\.[a-z]+[A-Z.]|_|[a-z][A-Z]/u.test(path);
}

/** "the memory limit"; "size of the command" where only the field around it is known. */
function labelOf(path: string): string | undefined {
  const segments = path.split(/[./[\]]+/u).filter((segment) => /^[A-Za-z]/u.test(segment));
  const at = segments.findLastIndex((segment) => Object.hasOwn(fields, segment));
  const label = fields[segments[at] ?? ""];
  return label === undefined || at === segments.length - 1 ? label : `${segments.at(-1)} of ${label}`;
}
