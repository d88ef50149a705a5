import type { PlainTextOption } from "@slack/types";
import { limits } from "../kit/blocks.ts";
import { plain } from "../kit/plain.ts";

export type OptionInput = {
  readonly value: string;
  readonly text: string;
  readonly description?: string | undefined;
};

/** What stands among options to say something: choosing it is choosing nothing. */
export const NONE = "!none";

/** One of many to choose; undefined where its value does not fit: cut, it would mean something else. */
export function option({ value, text, description = "" }: OptionInput): PlainTextOption | undefined {
  if (value === "" || value.length > limits.optionValue || !value.isWellFormed()) return undefined;
  return {
    text: plain(text, limits.optionText),
    value,
    ...(description.trim() !== "" && { description: plain(description, limits.optionDescription) }),
  };
}

/** Those that fit, in their order, each value once. */
export function optionsOf(all: readonly OptionInput[], max: number = limits.options): PlainTextOption[] {
  const drawn = new Map<string, PlainTextOption>();
  for (const each of all) {
    const one = drawn.size < max && !drawn.has(each.value) ? option(each) : undefined;
    if (one !== undefined) drawn.set(each.value, one);
  }
  return [...drawn.values()];
}
