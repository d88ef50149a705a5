import { z } from "zod";

/** An environment variable, described once: what it takes, what it means, and what is secret about it. */
export type Setting<Schema extends z.ZodType = z.ZodType> = {
  /** Reads its text; the message of an error completes the variable's name. */
  readonly schema: Schema;
  /** For docs/configuration.md, as `unset`. */
  readonly meaning: string;
  /** What holds without it, where the schema has no default. */
  readonly unset?: string;
  /** The parts of a valid text that must not appear in any log. */
  readonly secrets?: (text: string) => readonly string[];
  /** How `npm run setup` takes it. */
  readonly setup?: {
    /** Without its dashes. */
    readonly option: string;
    /** Stands for the option's value in the help: `URL`. */
    readonly value: string;
    /** Follows the variable's name in the help. */
    readonly help?: string;
    readonly question?: string;
  };
};

export type Settings = Readonly<Record<string, Setting>>;

/** The variables of a process. */
export type Given = Readonly<Record<string, string | undefined>>;

/** The schemas of settings, for `z.object`. */
export function shapeOf<const Rows extends Settings>(rows: Rows): { [Name in keyof Rows]: Rows[Name]["schema"] } {
  const shape = Object.fromEntries(Object.entries(rows).map(([name, { schema }]) => [name, schema]));
  return shape as { [Name in keyof Rows]: Rows[Name]["schema"] }; // the same names
}

/** What holds without it, as text. */
export function defaultOf({ schema, unset }: Setting): string {
  const value = schema.safeParse(undefined).data;
  return unset ?? (typeof value === "string" || typeof value === "number" ? String(value) : "");
}

/** What of these variables must not appear in any log; each must be valid. */
export function secretsIn(rows: Settings, given: Given): readonly string[] {
  return Object.entries(rows).flatMap(([name, { secrets }]) => {
    const text = given[name];
    return text === undefined ? [] : (secrets?.(text) ?? []);
  });
}

/** The whole text is a secret. */
export const whole = (text: string): readonly string[] => [text];

/** Shells and Compose files pass unset variables as empty. */
export function withoutEmpty(env: Given): Given {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
}

const QUOTES = /^["'`]+|["'`]+$/gu;

/** Compose files and `docker run --env-file` keep the quotes around a value. */
export function isQuoted(text: string): boolean {
  return text !== text.replaceAll(QUOTES, "");
}

/** Values as they were meant, so that nothing else is said about them. */
export function withoutQuotes(given: Given): Given {
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, text?.replaceAll(QUOTES, "")]));
}

export function quotedProblems(rows: Settings, given: Given): readonly string[] {
  return Object.keys(rows)
    .filter((name) => isQuoted(given[name] ?? ""))
    .map(
      (name) => `${name} begins or ends with a quote. Remove the quotes: only Gantry's own .env file may have them.`,
    );
}

/** What is wrong with each value alone, as sentences. */
export function sentencesOf(error: z.ZodError | undefined): string[] {
  return error?.issues.map(({ path, message }) => `${String(path[0])} ${message}.`) ?? [];
}

export function wholeNumber(what: string, { from, to, unset }: { from: number; to?: number; unset?: number }) {
  const range = to === undefined ? `, at least ${from}` : ` from ${from} to ${to}`;
  const most = to ?? 999_999_999;
  return numberIn(from, most, `must be a whole number of ${what}${range} (default: ${unset ?? "no limit"})`);
}

export function port(unset: string) {
  return numberIn(0, 65_535, `must be a port from 0 to 65535 (default: ${unset})`);
}

function numberIn(from: number, to: number, error: string) {
  return z
    .string()
    .regex(/^\d{1,9}$/u, error)
    .transform(Number)
    .refine((number) => number >= from && number <= to, error);
}

export function httpUrl(example: string) {
  return z.string().refine((text) => hasProtocol(text, /^https?:$/u), {
    error: `must be a URL that starts with https:// or http://, like ${example}`,
  });
}

export function hasProtocol(text: string, protocol: RegExp): boolean {
  return URL.canParse(text) && protocol.test(new URL(text).protocol);
}

/** Names separated by commas, each once. */
export function names(error: string) {
  return z.string().transform((text, context) => {
    const items = text.split(",").map((item) => item.trim());
    if (items.every((item) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/u.test(item))) return [...new Set(items)];
    context.addIssue(error);
    return z.NEVER;
  });
}
