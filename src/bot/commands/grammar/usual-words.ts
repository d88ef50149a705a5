import { checkName } from "../../../api/request-limits.ts";
import { kindNamed } from "./target.ts";

/**
 * The words after a verb whose first one is a name, as that verb takes them: `service web` is `service/web`, `web=3` and
 * `web to 3` are `web 3`, `web, worker and api` are three names, and `WEB` is `web`, because the workload API's names are
 * lower-case. Pure.
 */
export function usualWords(labels: readonly string[], typed: readonly string[]): readonly string[] {
  const [label = ""] = labels;
  if (!label.includes("NAME")) return typed;
  if (typed.length === 0) return typed;
  const [name = "", ...others] = withKind(isRest(label) ? namesOf(typed) : typed);
  const words = labels.length === 2 && !isRest(labels[1]) ? withAmount(name, others) : [name, ...others];
  return words.map((word, at) => (at === 0 || isRest(label) ? lowerCaseName(word) : word));
}

function isRest(label = ""): boolean {
  return label.endsWith("…");
}

/** Names in a list: `web, worker and api`. An "and" at an end may be a name. */
function namesOf(typed: readonly string[]): readonly string[] {
  return typed.flatMap((word, at) => {
    const isBetween = at > 0 && at < typed.length - 1 && /^(?:and|&|,)$/iu.test(word);
    return isBetween ? [] : word.split(",").filter((name) => name !== "" || word === "");
  });
}

/** A lone kind may be the name of a workload. */
function withKind([first = "", second, ...rest]: readonly string[]): string[] {
  const kind = kindNamed(first);
  if (second === undefined) return [first];
  return kind === undefined || second.includes("/") ? [first, second, ...rest] : [`${kind}/${second}`, ...rest];
}

function withAmount(name: string, others: readonly string[]): string[] {
  const [, before, amount] = /^([^=]+)=(\S+)$/u.exec(name) ?? [];
  if (before !== undefined && amount !== undefined && others.length === 0) return [before, amount];
  const [filler = "", ...rest] = others;
  return rest.length > 0 && /^(?:to|=)$/iu.test(filler) ? [name, ...rest] : [name, ...others];
}

/** A name that the workload API takes as it is stays as it is, and so does one that lower case doesn't mend. */
function lowerCaseName(typed: string): string {
  const slash = typed.indexOf("/");
  const name = typed.slice(slash + 1);
  if (checkName("service", name) === undefined) return typed;
  const lower = name.toLowerCase();
  return checkName("service", lower) === undefined ? typed.slice(0, slash + 1) + lower : typed;
}
