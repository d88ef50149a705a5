import { parseArgs } from "node:util";
import { UserError } from "../../errors.ts";
import type { Option } from "../command.ts";
import { nearNames } from "../../policy/near-names.ts";

/** A flag of a verb, as in `--env K=V` or `--share`. */
export type Flag = {
  /** The value's label in usage lines; a flag without it takes no value. */
  readonly value?: string;
  /** May be repeated. */
  readonly many?: true;
  readonly summary: string;
};
export type Flags = Readonly<Record<string, Flag>>;

/** Flags of every verb that reads or changes workloads. */
export const commonFlags = {
  region: { value: "R", summary: "the region of services (jobs are always in `us`)" },
  share: { summary: "answer into the channel instead of for you only" },
} as const satisfies Flags;

/** Flags of every verb that changes workloads. */
export const writeFlags = {
  ...commonFlags,
  reason: { value: "TEXT", summary: "why, for those who approve and for history" },
  "break-glass": { summary: "run at once, where a rule lets you do that; takes a reason, and the channel is told" },
} as const satisfies Flags;

export const rejectFlags = {
  reason: { value: "TEXT", summary: "why, for the card and for history" },
} as const satisfies Flags;

/** Flags as help shows them. */
export function optionsOf(flags: Flags): Option[] {
  return Object.entries(flags).map(([flag, { value, summary }]) => ({
    flag: value === undefined ? `--${flag}` : `--${flag} ${value}`,
    summary,
  }));
}

/** Words sorted into positionals and flags; only the flags are checked. */
export type Typed = {
  readonly positionals: readonly string[];
  readonly one: (flag: string) => string | undefined;
  readonly many: (flag: string) => readonly string[] | undefined;
  readonly has: (flag: string) => boolean;
  /** The words after `--`, or `undefined` without one. */
  readonly rest: readonly string[] | undefined;
};

/** Sorts words into positionals and flags. Pure. Throws a `UserError` for a flag that the verb does not have. */
export function readFlags(words: readonly string[], flags: Flags): Typed {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokensOf(before, flags)) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind === "option") addValue(values, token, flags);
  }
  return {
    positionals,
    one: (flag) => values.get(flag)?.[0],
    many: (flag) => values.get(flag),
    has: (flag) => values.has(flag),
    rest: end < 0 ? undefined : words.slice(end + 1),
  };
}

type Token = {
  kind: "option";
  name: string;
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
};

function tokensOf(words: readonly string[], flags: Flags) {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      { type: flag.value === undefined ? "boolean" : "string" } as const,
    ]),
  );
  // Some phones and other bots write `-region` for `--region`.
  const args = words.map((word) => (/^-[a-z]{2}/u.test(word) && nameOf(word.slice(1)) in flags ? `-${word}` : word));
  return parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function addValue(values: Map<string, string[]>, token: Token, flags: Flags): void {
  const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
  if (flag === undefined) throw unknownFlag(token.rawName, flags);
  const before = values.get(token.name);
  if (before !== undefined && flag.many !== true) {
    throw new UserError(`${token.rawName} was given twice.`, { next: "Give it once." });
  }
  values.set(token.name, [...(before ?? []), valueOf(token, flag)]);
}

function valueOf({ rawName, value, inlineValue }: Token, flag: Flag): string {
  if (flag.value === undefined) {
    if (value === undefined) return "";
    throw new UserError(`${rawName} takes no value.`, { next: `Write ${rawName} alone.` });
  }
  // In `--image --share` the value is missing; `--image=--share` is a value.
  if (value === undefined || (inlineValue !== true && value.startsWith("--"))) {
    throw new UserError(`${rawName} needs a value.`, { next: `Write ${rawName} ${flag.value}.` });
  }
  return value;
}

function unknownFlag(rawName: string, flags: Flags): UserError {
  const near = nearNames(nameOf(rawName.replace(/^-+/u, "")), Object.keys(flags))[0];
  return new UserError(`There is no flag ${rawName} here.`, {
    next: near === undefined ? undefined : `Did you mean --${near}?`,
  });
}

function nameOf(word: string): string {
  return word.split("=", 1)[0] ?? word;
}
