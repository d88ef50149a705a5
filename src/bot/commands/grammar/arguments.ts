import type { z } from "zod";
import { attempt, type Suggestion, UserError } from "../../errors.ts";
import type { Ask } from "../../ask.ts";
import { commonFromFlags, type Flags, readFlags, shownFlags, type Typed, UnknownFlag } from "./flags.ts";
import { AND, leftOver, LeftOver, isLink } from "./manners.ts";
import { echo, joinWords } from "./words.ts";
import { kindNamed, missingName, type NamedKind } from "./argument-types.ts";
import { checkName } from "../../../api/request-limits.ts";

/** How people type a verb, and the schema of its arguments, which words and forms share. */
export type Grammar<Args extends z.ZodType = z.ZodType> = {
  readonly name: string;
  /** Without the command's name: `scale web 4`. */
  readonly example: string;
  /**
   * The words after the verb, in order: the argument and its label in the usage line, as in `{ name: "NAME", size: "N"
   * }`. A label that ends with … takes all remaining words.
   */
  readonly words?: Readonly<Record<string, string>>;
  readonly flags?: Flags;
  /** It only reads. */
  readonly isRead?: true;
  /** Words after `--` become the argument `command`. */
  readonly takesCommand?: true;
  /** Replaces the usage line that follows from `words` and `flags`. */
  readonly usage?: string;
  readonly args: Args;
  /** Replaces the arguments read by name, for words that need more than a name. The schema still checks them. Pure. */
  readonly read?: (typed: Typed, byName: Readonly<Record<string, unknown>>) => unknown;
};

/** Without the command's name: `scale NAME N`. */
export function usageOf({ name, words = {}, flags = {}, usage }: Grammar): string {
  const options = shownFlags(flags).map(([flag, { value }]) =>
    value === undefined ? `[--${flag}]` : `[--${flag} ${value}]`,
  );
  return usage ?? [name, ...Object.values(words), ...options].join(" ");
}

/** Words after the verb to an Ask. Pure. Throws a `UserError` with the usage line. */
export function readAsk(grammar: Grammar, words: readonly string[], flags: Flags): Ask {
  try {
    const typed = readFlags(words, flags);
    const ask: Ask = { verb: grammar.name, args: readArguments(grammar, typed), ...commonFromFlags(typed) };
    checkArguments(grammar, ask.args);
    return ask;
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof LeftOver) throw error;
    const suggestions = error instanceof UnknownFlag ? corrected({ grammar, words, flags }, error) : error.suggestions;
    throw new UserError(error.message, { next: error.next, ...hint(grammar), suggestions });
  }
}

type Misspelt = { readonly grammar: Grammar; readonly words: readonly string[]; readonly flags: Flags };

/** The same words with the flag that was meant, if they are complete then. The value of a variable goes into no button. */
function corrected({ grammar, words, flags }: Misspelt, { typed, near }: UnknownFlag): readonly Suggestion[] {
  if (near === undefined || "env" in flags) return [];
  const meant = words.map((word) => (word.split("=", 1)[0] === typed ? near + word.slice(typed.length) : word));
  const line = joinWords([grammar.name, ...meant]);
  if (line === undefined || meant.every((word, at) => word === words[at])) return [];
  const ask = attempt(() => readAsk(grammar, meant, flags));
  return ask instanceof UserError ? [] : [{ ask, words: line }];
}

/** The arguments as typed, without those that are missing; only superfluous words are refused here. Pure. */
export function readArguments(grammar: Grammar, raw: Typed): Ask["args"] {
  const typed = { ...raw, positionals: usualWords(Object.values(grammar.words ?? {}), raw.positionals) };
  refuseSuperfluous(grammar, typed);
  const byName = argumentsByName(grammar, typed);
  return Object.fromEntries(
    Object.entries(grammar.read?.(typed, byName) ?? byName).filter(([, value]) => value !== undefined),
  );
}

/**
 * Throws a `UserError` with the usage line. An Ask is checked when it is made, and again when a button brings it back.
 */
export function checkArguments<Args extends z.ZodType>(grammar: Grammar<Args>, args: unknown): z.output<Args> {
  const parsed = grammar.args.safeParse(args);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues[0]?.message ?? "I don't understand these words.";
  throw new UserError(message === missingName ? `\`${grammar.name}\` needs a workload.` : message, hint(grammar));
}

function argumentsByName({ words = {}, flags = {}, takesCommand }: Grammar, typed: Typed): Record<string, unknown> {
  const byWord = Object.entries(words).map(([name, label], at) => [
    name,
    isRest(label) ? typed.positionals.slice(at) : typed.positionals[at],
  ]);
  const byFlag = Object.entries(flags).map(([name, { value, many }]) => {
    if (value === undefined) return [name, typed.has(name) ? true : undefined];
    return [name, many === true ? typed.many(name) : typed.one(name)];
  });
  return { ...Object.fromEntries([...byWord, ...byFlag]), ...(takesCommand === true && { command: typed.rest }) };
}

function refuseSuperfluous({ name, isRead, words = {}, flags = {}, takesCommand }: Grammar, typed: Typed): void {
  const labels = Object.values(words);
  const superfluous = labels.some(isRest) ? [] : typed.positionals.slice(labels.length);
  const [extra] = superfluous;
  const variable = /^([A-Za-z_][\w.-]{0,252})=/u.exec(extra ?? "")?.[1];
  // Its value may be a secret, and isn't repeated.
  if (variable !== undefined && flags["set"] !== undefined) {
    throw new UserError(`\`${name}\` sets a variable with \`--set ${variable}=…\`.`);
  }
  if (extra !== undefined && isRead !== true && isLink(extra) && !typed.has("reason")) throw leftOver(superfluous);
  if (extra !== undefined) {
    throw new UserError(`\`${name}\` doesn't take ${echo(extra)}.`, {
      next: typed.has("reason")
        ? "Put the whole reason in quotes."
        : "Remove it, or put words that belong together in quotes.",
    });
  }
  if (typed.rest !== undefined && takesCommand !== true) {
    throw new UserError("Only `create` takes a command after `--`.", {
      next: "Remove `--` and everything after it.",
    });
  }
}

function hint(grammar: Grammar): { readonly usage: string; readonly example: string } {
  return { usage: usageOf(grammar), example: grammar.example };
}

/**
 * The words after a verb whose first one is a name, as that verb takes them: `service web` is `service/web`, `web=3` and
 * `web to 3` are `web 3`, `web:1.5` is `web 1.5`, `web, worker and api` are three names, and `WEB` is `web`, because the workload API's names are
 * lower-case. Pure.
 */
export function usualWords(labels: readonly string[], typed: readonly string[]): readonly string[] {
  const [label = ""] = labels;
  if (!label.includes("NAME")) return typed;
  if (typed.length === 0) return typed;
  if (typed.length > 1 && typed.some((word) => /^pods?(?:\/|$)/iu.test(word))) {
    throw new UserError("I act on workloads, not on single pods.", { next: "Name the workload of the pod." });
  }
  const [name = "", ...others] = isRest(label) ? withKinds(namesOf(typed)) : withKind(typed);
  const words = labels.length === 2 && !isRest(labels[1]) ? withAmount(name, others) : [name, ...others];
  return words.map((word, at) => (at === 0 || isRest(label) ? usualName(word) : word));
}

function isRest(label = ""): boolean {
  return label.endsWith("…");
}

/** Names in a list: `web, worker and api`. An "and" at an end may be a name. */
function namesOf(typed: readonly string[]): readonly string[] {
  return typed.flatMap((word, at) => {
    const isBetween = at > 0 && at < typed.length - 1 && AND.test(word);
    return isBetween ? [] : word.split(",").filter((name) => name !== "" || word === "");
  });
}

/** Behind a name, a shorter word for a kind of Kubernetes would be another name. */
const KIND_BEHIND = /^(?:(?:deployment|statefulset|daemonset|cronjob)s?|sts)$/iu;

/** `statefulset db` and `db statefulset` are `statefulset/db`. A lone kind may be the name of a workload. Pure. */
export function withKind([first = "", second, ...rest]: readonly string[]): string[] {
  if (second === undefined) return [first];
  const before = second.includes("/") ? undefined : kindNamed(first);
  const behind = before === undefined && KIND_BEHIND.test(second) ? kindNamed(second) : undefined;
  if (before !== undefined) return [ofKind(before, second), ...rest];
  return behind === undefined ? [first, second, ...rest] : [ofKind(behind, first), ...rest];
}

/** The same of a list. As for `kubectl`, a kind of Kubernetes in front of names is that of all of them. */
function withKinds(words: readonly string[]): string[] {
  const [first = "", second = "/"] = words;
  const leading = second.includes("/") ? undefined : kindNamed(first);
  if (leading?.object !== undefined) return words.slice(1).map((name) => ofKind(leading, name));
  const names: string[] = [];
  for (const word of leading === undefined ? words : withKind(words)) {
    const kind = KIND_BEHIND.test(word) ? kindNamed(word) : undefined;
    const before = kind === undefined ? undefined : names.pop();
    names.push(kind === undefined || before === undefined ? word : ofKind(kind, before));
  }
  return names;
}

function ofKind({ prefix }: NamedKind, name: string): string {
  return name.includes("/") ? name : `${prefix}/${name}`;
}

function withAmount(name: string, others: readonly string[]): string[] {
  const [, before, amount] = /^([^=:]+)(?:=|(?<=[a-z][^=:]*):(?=[^:/]+$))(\S+)$/iu.exec(name) ?? [];
  if (before !== undefined && amount !== undefined && others.length === 0) return [before, amount];
  const [filler = "", ...rest] = others;
  return rest.length > 0 && /^(?:to|=)$/iu.test(filler) ? [name, ...rest] : [name, ...others];
}

/**
 * With one word for each kind: `sts/db` is `statefulset/db`. A name that the workload API takes as it is stays as it is, and so does
 * one that lower case doesn't mend.
 */
function usualName(typed: string): string {
  const slash = typed.indexOf("/");
  const kind = slash < 0 ? undefined : kindNamed(typed.slice(0, slash));
  const prefix = kind === undefined ? typed.slice(0, slash + 1) : `${kind.prefix}/`;
  const name = typed.slice(slash + 1);
  const lower = name.toLowerCase();
  const isMended = checkName("service", name) !== undefined && checkName("service", lower) === undefined;
  return prefix + (isMended ? lower : name);
}
