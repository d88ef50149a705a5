import type { StaticSelect, PlainTextOption } from "@slack/types";
import { limits } from "./blocks.ts";
import { plain } from "./text.ts";

export type Menu = {
  /** What choosing does: `home:region`. */
  readonly act: string;
  readonly placeholder: string;
  readonly options: readonly OptionInput[];
  /** The value that stands in it. */
  readonly chosen?: string | undefined;
};

/** A menu of options that are known; undefined where there are none. */
export function menu({ act, placeholder, options, chosen }: Menu): StaticSelect | undefined {
  const all = optionsOf(options);
  if (all.length === 0) return undefined;
  const initial = all.find(({ value }) => value === chosen);
  return {
    type: "static_select",
    action_id: act,
    placeholder: plain(placeholder, limits.placeholder),
    options: all,
    ...(initial !== undefined && { initial_option: initial }),
  };
}

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
