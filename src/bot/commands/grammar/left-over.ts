import { UserError } from "../../errors.ts";
import { isLink, withoutEnd } from "./manners.ts";
import { echo } from "./words.ts";

/** A request has no use for some of its words. It is refused: they may say when, where or under which condition. */
export class LeftOver extends UserError {}

/** The refusal, which names the words: "at 18:00". Pure. */
export function leftOver(words: readonly string[]): LeftOver {
  // What follows such a word may be a secret.
  const end = words.findIndex((word) => word.includes("="));
  const shown = withoutEnd((end < 0 ? words : words.slice(0, end)).join(" "));
  const [first = "", place, ...others] = words;
  const mayBeRegion = /^(?:in|to)$/iu.test(first) && /^[a-z]/iu.test(place ?? "") && others.length === 0;
  const mayBeName = words.length === 1 ? ` If it is a name, write \`service/${shown}\`.` : "";
  return new LeftOver(`I didn't understand ${echo(shown)}. Nothing was changed.`, {
    next: mayBeRegion
      ? `If it is a region, write \`--region ${withoutEnd(place ?? "")}\`.`
      : `I can't follow a time, a condition or an exception. Leave it out to do the rest now.${mayBeName}`,
  });
}

/** The position of the first word that links something to the names, or -1. "and" between two names is fine. Pure. */
export function firstLink(words: readonly string[]): number {
  return words.findIndex((word, at) => {
    const isBetween = at > 0 && at < words.length - 1;
    return isLink(word) && !(isBetween && AND.test(word));
  });
}

/** Between the names of a list. */
export const AND = /^(?:and|&|,)$/iu;

/** Throws `LeftOver` where a list of names has other words: `web at 18:00`. A name alone may be any word. Pure. */
export function refuseLinks(words: readonly string[]): void {
  const at = firstLink(words);
  if (at >= 0 && words.length > 1) throw leftOver(words.slice(at));
}
