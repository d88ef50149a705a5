import type { Overflow, StaticSelect, PlainTextOption } from "@slack/types";
import { type Action, encodeAction } from "./action-id.ts";
import { limits } from "./blocks.ts";
import { plain, truncateMiddle } from "./text.ts";

export type Menu = {
  readonly action: Action;
  readonly placeholder: string;
  readonly options: readonly OptionInput[];
  /** The selected value. */
  readonly chosen?: string | undefined;
};

/** Undefined without options, because Slack refuses an empty menu. */
export function menu({ action, placeholder, options, chosen }: Menu): StaticSelect | undefined {
  const all = optionsOf(options);
  if (all.length === 0) return undefined;
  const initial = all.find(({ value }) => value === chosen);
  return {
    type: "static_select",
    action_id: encodeAction(action),
    placeholder: plain(placeholder, limits.placeholder),
    options: all,
    ...(initial !== undefined && { initial_option: initial }),
  };
}

/** A "…" menu; undefined without options. */
export function overflow({ action, options }: Pick<Menu, "action" | "options">): Overflow | undefined {
  const all = optionsOf(options, limits.overflowOptions);
  return all.length === 0 ? undefined : { type: "overflow", action_id: encodeAction(action), options: all };
}

export type OptionInput = {
  readonly value: string;
  readonly text: string;
  readonly description?: string | undefined;
};

/** The value of an option that is only a message: choosing it chooses nothing. */
export const NONE = "!none";

/** Undefined when the value doesn't fit, because truncating would change its meaning. */
export function option({ value, text, description = "" }: OptionInput): PlainTextOption | undefined {
  if (value === "" || value.length > limits.optionValue || !value.isWellFormed()) return undefined;
  return {
    text: plain(truncateMiddle(text, limits.optionText), limits.optionText),
    value,
    ...(description.trim() !== "" && { description: plain(description, limits.optionDescription) }),
  };
}

/** The options that fit, without repeated values. */
export function optionsOf(all: readonly OptionInput[], max: number = limits.options): PlainTextOption[] {
  const drawn = new Map<string, PlainTextOption>();
  for (const each of all) {
    const one = drawn.size < max && !drawn.has(each.value) ? option(each) : undefined;
    if (one !== undefined) drawn.set(each.value, one);
  }
  return [...drawn.values()];
}
