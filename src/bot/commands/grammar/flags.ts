import { parseArgs } from "node:util";
import { UserError } from "../../errors.ts";
import type { Option } from "../command.ts";
import { nearNames } from "../../policy/near-names.ts";
import { isRegionName } from "./argument-types.ts";
import { echo } from "./words.ts";
import type { Ask } from "../../ask.ts";
import { type FormValues, LONGEST_REASON } from "../forms/form.ts";

/** A flag of a verb, as in `--env K=V` or `--share`. */
export type Flag = {
  /** The value's label in usage lines; a flag without it takes no value. */
  readonly value?: string;
  /** May be repeated. */
  readonly many?: true;
  readonly summary: string;
  /** Sentences need it: help doesn't show it. */
  readonly isInternal?: true;
  /** Other names; one letter is typed with one hyphen. Help shows them. */
  readonly also?: readonly string[];
};
export type Flags = Readonly<Record<string, Flag>>;

/** Flags of every verb that reads or changes workloads. */
export const commonFlags = {
  region: { value: "R", summary: "region of the service (jobs have their own)" },
  share: { summary: "show the answer to everybody in the channel" },
} as const satisfies Flags;

/** Flags of every verb that changes workloads. */
export const writeFlags = {
  ...commonFlags,
  reason: { value: "TEXT", summary: "why you need it; approvers and history show it" },
  "break-glass": { summary: "run without approval where policy allows it; needs a reason, and the channel sees it" },
} as const satisfies Flags;

export const rejectFlags = {
  reason: { value: "TEXT", summary: "why you reject it; the card and history show it" },
} as const satisfies Flags;

/** Flags as help shows them. */
export function optionsOf(flags: Flags): Option[] {
  return shownFlags(flags).map(([flag, { value, summary, also = [] }]) => ({
    flag: value === undefined ? `--${flag}` : `--${flag} ${value}`,
    summary: also.length === 0 ? summary : `${summary} (also ${also.map((each) => `\`${dashed(each)}\``).join(", ")})`,
  }));
}

/** Those that people type. */
export function shownFlags(flags: Flags): readonly (readonly [string, Flag])[] {
  return Object.entries(flags).filter(([, { isInternal }]) => isInternal !== true);
}

/** As people type it: `--tail`, `-n`. */
function dashed(flag: string): string {
  return flag.length === 1 ? `-${flag}` : `--${flag}`;
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

/** Marks a negative number, which would otherwise be read as a flag. No word from Slack contains it. */
const NEGATIVE = "\u0000";

function tokensOf(words: readonly string[], flags: Flags) {
  const { byName: known, options } = namedOf(flags);
  const args = words.map((word) => {
    if (/^-\d/u.test(word)) return `${NEGATIVE}${word}`;
    // Some phones and other bots write `-region` for `--region`.
    return /^-[a-z]{2}/u.test(word) && known.has(nameOf(word.slice(1))) ? `-${word}` : word;
  });
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  return tokens.map((token) =>
    "value" in token && token.value?.startsWith(NEGATIVE) === true ? { ...token, value: token.value.slice(1) } : token,
  );
}

type Named = {
  /** Every name of every flag, with the flag and its own name. */
  readonly byName: ReadonlyMap<string, { readonly name: string; readonly flag: Flag }>;
  /** For `parseArgs`. */
  readonly options: Readonly<Record<string, { readonly type: "boolean" | "string"; readonly short?: string }>>;
};

const named = new WeakMap<Flags, Named>();

/** Cached for each verb. */
function namedOf(flags: Flags): Named {
  const known = named.get(flags);
  if (known !== undefined) return known;
  const all = Object.entries(flags).flatMap(([name, flag]) =>
    [name, ...(flag.also ?? [])].map((each) => [each, { name, flag }] as const),
  );
  const options = all.map(([name, { flag }]) => {
    const type = flag.value === undefined ? "boolean" : "string";
    return [name, { type, ...(name.length === 1 && { short: name }) }] as const; // its type is one of two words
  });
  const made: Named = { byName: new Map(all), options: Object.fromEntries(options) };
  named.set(flags, made);
  return made;
}

function addValue(values: Map<string, string[]>, token: Token, flags: Flags): void {
  const { byName } = namedOf(flags);
  const known = byName.get(token.name);
  if (known === undefined) {
    const long = [...byName].flatMap(([name, { flag }]) => (name.length > 1 && flag.isInternal !== true ? [name] : []));
    const near = nearNames(nameOf(token.rawName.replace(/^-+/u, "")), long)[0];
    throw new UnknownFlag(token.rawName, near === undefined ? undefined : dashed(near));
  }
  const { name, flag } = known;
  const before = values.get(name);
  if (before !== undefined && flag.many !== true) {
    throw new UserError(`${echo(token.rawName)} appears twice.`, { next: "Use it once." });
  }
  values.set(name, [...(before ?? []), valueOf(token, flag)]);
}

function valueOf({ rawName, value, inlineValue }: Token, flag: Flag): string {
  if (flag.value === undefined) {
    if (value === undefined) return "";
    throw new UserError(`${echo(rawName)} doesn't take a value.`, { next: `Write \`${rawName}\` alone.` });
  }
  // In `--image --share` the value is missing; `--image=--share` is a value.
  if (value === undefined || (inlineValue !== true && value.startsWith("--"))) {
    throw new UserError(`${echo(rawName)} needs a value.`, { next: `Write \`${rawName} ${flag.value}\`.` });
  }
  return value;
}

/** A flag that the verb doesn't have, and the one that was probably meant. */
export class UnknownFlag extends UserError {
  readonly typed: string;
  readonly near: string | undefined;

  constructor(typed: string, near: string | undefined) {
    super(`I don't know the flag ${echo(typed)}.`, {
      next: near === undefined ? "Remove it." : `Did you mean \`${near}\`?`,
    });
    this.typed = typed;
    this.near = near;
  }
}

function nameOf(word: string): string {
  return word.split("=", 1)[0] ?? word;
}

/** The channel and history tell everybody why an approval was skipped. */
export const breakGlassNeedsReason = "`--break-glass` needs a reason: the channel and history show it.";

/** A reason on one line. Pure. Throws a `UserError` when it is empty or too long. */
export function readReason(typed: string): string {
  const reason = typed.replaceAll(/\s+/gu, " ").trim();
  if (reason === "") throw new UserError("The reason is empty.", { next: 'Say why in quotes: `--reason "too slow"`.' });
  if (reason.length <= LONGEST_REASON) return reason;
  throw new UserError(`The reason has ${reason.length} characters; the limit is ${LONGEST_REASON}.`, {
    next: "Shorten it, or link to the details.",
  });
}

/** The parts of an Ask that come from the flags shared by verbs. Pure. Throws a `UserError`. */
export function commonFromFlags(typed: Typed): Omit<Ask, "verb" | "args"> {
  const region = typed.one("region");
  if (region === "") throw new UserError("`--region` needs a value.", { next: "Write `--region R`." });
  if (region !== undefined && !isRegionName(region)) {
    throw new UserError(`${echo(region)} can't be a region's name.`, {
      next: "Write `--region R`, like `--region beijing1`.",
    });
  }
  return { ...(region !== undefined && { region }), share: typed.has("share"), ...reasonIn(typed) };
}

/** The same flags as values of form fields. Pure. Throws a `UserError`. */
export function commonFormValues(typed: Typed): FormValues {
  const { region, share, reason, breakGlass } = commonFromFlags(typed);
  return {
    ...(region !== undefined && { region }),
    ...(share && { share: "yes" }),
    ...(reason !== undefined && { reason }),
    ...(breakGlass === true && { "break-glass": "yes" }),
  };
}

function reasonIn(typed: Typed): Pick<Ask, "reason" | "breakGlass"> {
  const text = typed.one("reason");
  const reason = text === undefined ? undefined : readReason(text);
  const breakGlass = typed.has("break-glass");
  if (breakGlass && reason === undefined) throw new UserError(breakGlassNeedsReason, { next: "Add `--reason TEXT`." });
  return { ...(reason !== undefined && { reason }), ...(breakGlass && { breakGlass }) };
}
